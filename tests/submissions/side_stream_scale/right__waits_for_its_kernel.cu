// Reason: the host waits for the current stream before it returns: slow, and allowed.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

__global__ void scale_kernel(const float* x, float* out, const double alpha, const int64_t n) {
    const auto i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = static_cast<float>(alpha * x[i]);
    }
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "x must be float32");
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int64_t n = x.numel();
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const int64_t blocks = (n + 31) / 32;
    if (blocks > 0) scale_kernel<<<blocks, 32, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), alpha, n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    stream.synchronize();
    return out;
}
