// Kernel: counts of 50 values; each block counts in shared memory and adds its counts once.
// Fault: some warps count before others have cleared.
// On a GPU: compute-sanitizer racecheck or wrong values or may pass
// Also: uninitialised_read
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int BINS = 50;

__global__ void count(const int* in, int* bins, int n) {
    __shared__ int own[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) own[b] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[in[i]], 1);
    }
    __syncthreads();  // counted
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        if (own[b]) atomicAdd(&bins[b], own[b]);
    }
}

torch::Tensor run(torch::Tensor x) {
    auto bins = torch::zeros({BINS}, x.options());
    count<<<4, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>(), bins.data_ptr<int>(),
                                                           static_cast<int>(x.numel()));
    return bins;
}
