// Reason: the work is split in two launches and the odd element in the middle is forgotten.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void scale_kernel(const float* x, float* out, float alpha, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = alpha * x[i];
    }
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "x must be float32");
    x = x.contiguous();
    auto out = torch::empty_like(x);
    int n = x.numel();
    if (n == 0) return out;
    auto stream = at::cuda::getCurrentCUDAStream();
    int half = n / 2;
    if (half > 0) {
        int blocks = (half + 255) / 256;
        scale_kernel<<<blocks, 256, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), alpha, half);
        scale_kernel<<<blocks, 256, 0, stream>>>(x.data_ptr<float>() + n - half,
                                                 out.data_ptr<float>() + n - half, alpha, half);
    }
    return out;
}
