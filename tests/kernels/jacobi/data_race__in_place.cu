// Kernel: ten Jacobi steps for the heat equation with a fixed border; the change of the last step is found too.
// Fault: a cell takes some neighbours from this step and some from the last.
// On a GPU: wrong values or may pass
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <utility>

__global__ void step(const float* from, float* to, int* changed, int rows, int columns) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool moves = false;
    if (x < columns && y < rows) {
        const int at = y * columns + x;
        float value = from[at];
        if (x > 0 && x < columns - 1 && y > 0 && y < rows - 1) {
            value = 0.25f * (from[at - 1] + from[at + 1] + from[at - columns] + from[at + columns]);
        }
        moves = fabsf(value - from[at]) > 1e-3f;
        to[at] = value;
    }
    const int count = __syncthreads_count(moves);
    if (threadIdx.x == 0 && threadIdx.y == 0 && count) atomicAdd(changed, count);
}

torch::Tensor run(torch::Tensor x) {
    const int rows = x.size(0), columns = x.size(1);
    auto from = x.clone(), to = from;
    auto changed = torch::zeros({1}, x.options().dtype(torch::kInt));
    const dim3 block(16, 16), grid((columns + 15) / 16, (rows + 15) / 16);
    for (int i = 0; i < 10; ++i) {
        changed.zero_();
        step<<<grid, block, 0, c10::cuda::getCurrentCUDAStream()>>>(from.data_ptr<float>(), to.data_ptr<float>(),
                                                                   changed.data_ptr<int>(), rows, columns);
        std::swap(from, to);
    }
    from[0][0] = changed[0];
    return from;
}
