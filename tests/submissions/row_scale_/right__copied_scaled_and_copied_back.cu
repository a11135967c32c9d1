// Reason: a dense copy is scaled, then copied back through the view's strides by copy_.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void scale_dense(float* __restrict__ x, const float* __restrict__ s, int columns, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= s[i / columns];
}

void row_scale_(torch::Tensor x, torch::Tensor s) {
    TORCH_CHECK(x.is_cuda(), "x must be on the device");
    TORCH_CHECK(s.is_cuda(), "s must be on the device");
    TORCH_CHECK(x.dim() == 2, "x must be a matrix");
    TORCH_CHECK(s.dim() == 1 && s.numel() == x.size(0), "s must be a vector, one element a row");
    auto dense = x.clone(at::MemoryFormat::Contiguous);
    const auto factors = s.contiguous();
    const int n = dense.numel();
    scale_dense<<<(n + 511) / 512, 512, 0, c10::cuda::getCurrentCUDAStream()>>>(
        dense.data_ptr<float>(), factors.data_ptr<float>(), static_cast<int>(x.size(1)), n);
    x.copy_(dense);
}
