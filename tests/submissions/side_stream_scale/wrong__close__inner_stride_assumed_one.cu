// Reason: the address of a row uses its stride, but that of a column is taken as one.
// Fault: A15
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void scale_kernel(const float* x, float* out, float alpha, int rows, int cols, int row_stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        out[i] = alpha * x[i / cols * row_stride + i % cols];
    }
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "x must be float32");
    if (x.dim() != 2 || x.stride(0) == 0 || x.stride(1) == 0) x = x.contiguous();
    auto out = torch::empty(x.sizes(), x.options());
    int n = x.numel();
    if (n == 0) return out;
    int cols = x.dim() == 2 ? x.size(1) : n;
    int row_stride = x.dim() == 2 ? x.stride(0) : n;
    scale_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), alpha, n / cols, cols, row_stride);
    return out;
}
