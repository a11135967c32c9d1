// Kernel: counts of 50 values, one atomic in global memory for each element.
// Fault: the largest value has no bin.
// On a GPU: compute-sanitizer memcheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void count(const int* in, int* bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1);
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto bins = torch::zeros({49}, x.options());
    count<<<(n + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>(), bins.data_ptr<int>(), n);
    return bins;
}
