// Kernel: a matrix product; a block of 64 threads makes 32 x 32 results, each thread 4 x 4 in registers.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int SIDE = 32, DEEP = 8, EACH = 4;

__global__ void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float rows[DEEP][SIDE];
    __shared__ float columns[DEEP][SIDE];
    const int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    const int ty = threadIdx.x / 8 * EACH, tx = threadIdx.x % 8 * EACH;
    float sum[EACH][EACH] = {};
    for (int start = 0; start < k; start += DEEP) {
        for (int e = threadIdx.x; e < DEEP * SIDE; e += 64) {
            const int row = top + e / DEEP, along = start + e % DEEP;
            rows[e % DEEP][e / DEEP] = row < m && along < k ? a[row * k + along] : 0.f;
            const int down = start + e / SIDE, column = left + e % SIDE;
            columns[e / SIDE][e % SIDE] = down < k && column < n ? b[down * n + column] : 0.f;
        }
        __syncthreads();
        for (int d = 0; d < DEEP; ++d) {
            float from_a[EACH], from_b[EACH];
            for (int i = 0; i < EACH; ++i) from_a[i] = rows[d][ty + i];
            for (int j = 0; j < EACH; ++j) from_b[j] = columns[d][tx + j];
            for (int i = 0; i < EACH; ++i) {
                for (int j = 0; j < EACH; ++j) sum[i][j] += from_a[i] * from_b[j];
            }
        }
        __syncthreads();  // before the next load
    }
    for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH; ++j) {
            const int row = top + ty + i, column = left + tx + j;
            if (row < m && column < n) c[row * n + column] = sum[i][j];
        }
    }
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
    const int m = a.size(0), k = a.size(1), n = b.size(1);
    auto c = torch::empty({m, n}, a.options());
    const dim3 grid((n + SIDE - 1) / SIDE, (m + SIDE - 1) / SIDE);
    matmul<<<grid, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                              c.data_ptr<float>(), m, k, n);
    return c;
}
