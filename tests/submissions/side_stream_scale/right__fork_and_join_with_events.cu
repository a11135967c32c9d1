// Reason: half of the work runs on a pool stream that is forked from the current stream and joined back by events.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void scale_range(const float* x, float* out, float alpha, int64_t first, int64_t last) {
    const int64_t i = first + int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < last) out[i] = x[i] * alpha;
}

static void scale_on(const c10::cuda::CUDAStream& stream, const torch::Tensor& x, torch::Tensor& out, float alpha,
                     int64_t first, int64_t last) {
    if (first == last) return;
    const int threads = 128;
    const auto blocks = static_cast<unsigned>((last - first + threads - 1) / threads);
    scale_range<<<blocks, threads, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), alpha, first, last);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, not one on ", x.device());
    TORCH_CHECK(x.scalar_type() == at::kFloat, "x must be float32, not ", x.scalar_type());
    const c10::cuda::CUDAGuard guard(x.device());
    x = x.contiguous();
    auto out = torch::empty(x.sizes(), x.options());
    const int64_t n = x.numel(), half = n / 2;
    const auto current = at::cuda::getCurrentCUDAStream();
    const auto side = at::cuda::getStreamFromPool(false, x.device().index());

    at::cuda::CUDAEvent forked, joined;
    forked.record(current);
    forked.block(side);
    scale_on(side, x, out, static_cast<float>(alpha), 0, half);
    c10::cuda::CUDACachingAllocator::recordStream(x.storage().data_ptr(), side);
    c10::cuda::CUDACachingAllocator::recordStream(out.storage().data_ptr(), side);
    joined.record(side);
    scale_on(current, x, out, static_cast<float>(alpha), half, n);
    joined.block(current);
    return out;
}
