// Kernel: for each element the sum of distances to all; the next tile is loaded while this one is used.
// Fault: the second buffer is never used.
// On a GPU: compute-sanitizer racecheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int TILE = 128;

__global__ void distances(const float* in, float* out, int n) {
    __shared__ float tile[2][TILE];
    const int tid = threadIdx.x, i = blockIdx.x * TILE + tid;
    const float mine = i < n ? in[i] : 0.f;
    const int tiles = (n + TILE - 1) / TILE;
    tile[0][tid] = tid < n ? in[tid] : 0.f;
    __syncthreads();
    float sum = 0.f;
    for (int t = 0; t < tiles; ++t) {
        const int next = (t + 1) * TILE + tid;
        if (t + 1 < tiles) tile[0][tid] = next < n ? in[next] : 0.f;
        const int used = min(TILE, n - t * TILE);
        for (int j = 0; j < used; ++j) sum += fabsf(mine - tile[0][j]);
        __syncthreads();  // both buffers change their part
    }
    if (i < n) out[i] = sum;
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::empty_like(x);
    distances<<<(n + TILE - 1) / TILE, TILE, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                                                    out.data_ptr<float>(), n);
    return out;
}
