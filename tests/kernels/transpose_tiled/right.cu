// Kernel: a matrix turned over through a shared tile of 32 x 32, four rows a thread.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void transpose(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

torch::Tensor run(torch::Tensor x) {
    const int rows = static_cast<int>(x.size(0)), columns = static_cast<int>(x.size(1));
    auto out = torch::empty({columns, rows}, x.options());
    const dim3 grid((columns + 31) / 32, (rows + 31) / 32);
    transpose<<<grid, dim3(32, 8), 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                          rows, columns);
    return out;
}
