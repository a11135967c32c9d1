// Reason: the lesson's own structure: two checks, contiguous copies, one thread an element, the current stream.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void fused_kernel(const float* __restrict__ left, const float* __restrict__ right,
                             float* __restrict__ result, int count) {
    const int at = threadIdx.x + blockIdx.x * blockDim.x;
    if (at < count) {
        const float sum = left[at] + right[at];
        result[at] = sum > 0.f ? sum : 0.f;
    }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "expected tensors on the GPU");
    TORCH_CHECK(a.sizes() == b.sizes(), "shapes differ");
    a = a.contiguous();
    b = b.contiguous();
    auto result = torch::empty_like(a);
    const int count = a.numel();
    const int block = 256;
    const int grid = (count + block - 1) / block;
    auto current = c10::cuda::getCurrentCUDAStream();
    fused_kernel<<<grid, block, 0, current>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                              result.data_ptr<float>(), count);
    return result;
}
