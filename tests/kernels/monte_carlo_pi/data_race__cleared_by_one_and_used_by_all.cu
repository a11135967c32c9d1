// Kernel: points in a quarter circle from a generator of random bits for each thread; integer atomics.
// Fault: there is no barrier between clearing the counter and counting.
// On a GPU: compute-sanitizer racecheck or wrong values or may pass
// Also: uninitialised_read
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__device__ unsigned int next(unsigned int& state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__global__ void inside(const int* seeds, int* hits, int n, int draws) {
    __shared__ int own;
    if (threadIdx.x == 0) own = 0;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned int state = seeds[i];
        int count = 0;
        for (int d = 0; d < draws; ++d) {
            const unsigned long long x = next(state) >> 16, y = next(state) >> 16;
            count += x * x + y * y < 1ull << 32;
        }
        atomicAdd(&own, count);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hits, own);
}

torch::Tensor run(torch::Tensor seeds) {
    const int n = static_cast<int>(seeds.numel());
    auto hits = torch::zeros({1}, seeds.options());
    inside<<<(n + 63) / 64, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(seeds.data_ptr<int>(), hits.data_ptr<int>(), n, 50);
    return hits;
}
