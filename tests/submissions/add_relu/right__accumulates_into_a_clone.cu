// Reason: the result begins as a dense copy of a and the kernel works on it in place; a itself stays as it was.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void accumulate_and_clip(float* sum, const float* addend, int n) {
    constexpr int kEach = 4;
    const int start = (blockIdx.x * blockDim.x + threadIdx.x) * kEach;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (start + k < n) {
            sum[start + k] += addend[start + k];
            if (!(sum[start + k] > 0.f)) sum[start + k] = 0.f;
        }
    }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda(), "a must live on the GPU");
    TORCH_CHECK(b.is_cuda(), "b must live on the GPU");
    TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have equal sizes");
    TORCH_CHECK(a.scalar_type() == torch::kFloat32 && b.scalar_type() == torch::kFloat32, "a, b: float32 only");
    auto result = a.clone(at::MemoryFormat::Contiguous);
    auto addend = b.contiguous();
    const int n = result.numel();
    const int threads = 32;
    const int per_block = threads * 4;
    accumulate_and_clip<<<(n + per_block - 1) / per_block, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        result.data_ptr<float>(), addend.data_ptr<float>(), n);
    return result;
}
