// Kernel: five generations on a torus; two boards change places.
// Fault: cells are replaced while their neighbours still count them.
// On a GPU: wrong values or may pass
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <utility>

__global__ void generation(const int* from, int* to, int rows, int columns) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int living = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx || dy) living += from[(y + dy + rows) % rows * columns + (x + dx + columns) % columns];
        }
    }
    to[y * columns + x] = living == 3 || (living == 2 && from[y * columns + x]);
}

torch::Tensor run(torch::Tensor x) {
    const int rows = x.size(0), columns = x.size(1);
    auto from = x.clone(), to = from;
    const dim3 block(16, 8), grid((columns + 15) / 16, (rows + 7) / 8);
    for (int step = 0; step < 5; ++step) {
        generation<<<grid, block, 0, c10::cuda::getCurrentCUDAStream()>>>(from.data_ptr<int>(), to.data_ptr<int>(), rows,
                                                                         columns);
        std::swap(from, to);
    }
    return from;
}
