// Reason: contiguous, one thread an element, the current stream as the fourth launch argument.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void scale_kernel(const float* __restrict__ x, float* __restrict__ out, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = alpha * x[i];
    }
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "x must be float32");
    auto dense = x.contiguous();
    auto out = torch::empty_like(dense);
    int n = dense.numel();
    auto stream = at::cuda::getCurrentCUDAStream();
    if (n > 0) {
        scale_kernel<<<(n + 255) / 256, 256, 0, stream>>>(dense.data_ptr<float>(), out.data_ptr<float>(),
                                                          static_cast<float>(alpha), n);
    }
    return out;
}
