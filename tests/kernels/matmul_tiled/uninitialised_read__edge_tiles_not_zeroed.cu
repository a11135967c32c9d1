// Kernel: a matrix product through shared tiles of 16 x 16; no size need be a multiple of 16.
// Fault: what lies past an edge keeps the last tile's values, or none.
// On a GPU: wrong values or may pass
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int TILE = 16;

__global__ void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.f;
    for (int start = 0; start < k; start += TILE) {
        const int along = start + threadIdx.x, down = start + threadIdx.y;
        if (row < m && along < k) left[threadIdx.y][threadIdx.x] = a[row * k + along];
        right[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0.f;
        __syncthreads();  // the tiles are there
        for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();  // nobody needs them any more
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
    const int m = a.size(0), k = a.size(1), n = b.size(1);
    auto c = torch::empty({m, n}, a.options());
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul<<<grid, dim3(TILE, TILE), 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, k, n);
    return c;
}
