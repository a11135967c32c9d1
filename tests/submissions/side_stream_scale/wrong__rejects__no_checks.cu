// Reason: neither device nor dtype is checked; the pointer is untyped.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void scale_kernel(const float* x, float* out, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = alpha * x[i];
    }
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    x = x.contiguous();
    auto out = torch::empty_like(x, torch::kFloat);
    int n = x.numel();
    if (n == 0) return out;
    scale_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        static_cast<const float*>(x.data_ptr()), out.data_ptr<float>(), alpha, n);
    return out;
}
