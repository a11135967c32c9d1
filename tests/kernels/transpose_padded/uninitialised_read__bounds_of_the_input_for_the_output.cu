// Kernel: a matrix turned over through a shared tile with one column of padding.
// Fault: the output is tested against the input's sizes, so that empty slots of the tile are written out.
// On a GPU: wrong values
// Also: out_of_bounds, data_race
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int SIDE = 16;

__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
    __shared__ float tile[SIDE][SIDE + 1];
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    const int to_x = blockIdx.y * SIDE + threadIdx.x, to_y = blockIdx.x * SIDE + threadIdx.y;
    if (to_x < columns && to_y < rows) out[to_y * rows + to_x] = tile[threadIdx.x][threadIdx.y];
}

torch::Tensor run(torch::Tensor x) {
    const int rows = static_cast<int>(x.size(0)), columns = static_cast<int>(x.size(1));
    auto out = torch::empty({columns, rows}, x.options());
    const dim3 grid((columns + SIDE - 1) / SIDE, (rows + SIDE - 1) / SIDE);
    transpose<<<grid, dim3(SIDE, SIDE), 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), rows, columns);
    return out;
}
