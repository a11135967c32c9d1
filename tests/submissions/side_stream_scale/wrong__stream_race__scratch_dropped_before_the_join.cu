// Reason: scratch of the current stream is read on a side stream, and freed for reuse before that is done.
// Fault: A07
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void scale_kernel(const float* x, float* out, float alpha, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * alpha;
}

static void scaled(const c10::cuda::CUDAStream& stream, const torch::Tensor& x, const torch::Tensor& out, float alpha) {
    const int64_t n = x.numel();
    if (n == 0) return;
    scale_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), alpha, n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, not one on ", x.device());
    TORCH_CHECK(x.scalar_type() == at::kFloat, "x must be float32, not ", x.scalar_type());
    const c10::cuda::CUDAGuard guard(x.device());
    x = x.contiguous();
    auto out = torch::empty(x.sizes(), x.options());
    const auto current = at::cuda::getCurrentCUDAStream();
    const auto side = at::cuda::getStreamFromPool(false, x.device().index());
    at::cuda::CUDAEvent forked, joined;
    {
        auto half = torch::empty(x.sizes(), x.options());
        scaled(current, x, half, 0.5f);
        forked.record(current);
        forked.block(side);
        scaled(side, half, out, static_cast<float>(2.0 * alpha));
    }
    // The allocator may give half's block to this tensor while the side stream still reads it.
    auto spare = torch::empty(x.sizes(), x.options());
    scaled(current, x, spare, 0.0f);
    joined.record(side);
    joined.block(current);
    return out;
}
