// Reason: every thread adds a stretch of its own, one thread adds the stretches; no elements leave early.
#include <torch/extension.h>
#include <ATen/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

__global__ void stretches(const float* x, float* sums, int64_t n, int64_t length) {
    int64_t first = (blockIdx.x * blockDim.x + threadIdx.x) * length;
    float sum = 0;
    for (int64_t i = first; i < n && i < first + length; ++i) sum += x[i];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void last(const float* sums, float* out, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += sums[i];
    *out = sum;
}

torch::Tensor two_pass_sum(torch::Tensor x) {
    TORCH_CHECK(x.device().is_cuda(), "two_pass_sum needs a CUDA tensor");
    TORCH_CHECK(x.dtype() == torch::kFloat32, "two_pass_sum needs float32");
    c10::DeviceGuard guard(x.device());
    if (x.numel() == 0) return torch::zeros({}, x.options());
    const torch::Tensor flat = x.reshape({-1}).contiguous();
    constexpr int blocks = 7, threads = 32;
    auto sums = torch::empty({blocks, threads}, x.options());
    auto out = torch::empty({}, x.options());
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream(x.get_device());
    const int64_t n = flat.numel();
    stretches<<<blocks, threads, 0, stream>>>(flat.data_ptr<float>(), sums.data_ptr<float>(), n,
                                              (n + blocks * threads - 1) / (blocks * threads));
    last<<<1, 1, 0, stream>>>(sums.data_ptr<float>(), out.data_ptr<float>(), blocks * threads);
    return out;
}
