// Reason: forward also writes the derivative, 0 or scale; backward is one multiplication by PyTorch.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

template <typename scalar_t>
__global__ void clip_kernel(const scalar_t* x, scalar_t* out, scalar_t* factor, scalar_t scale, scalar_t limit,
                            size_t n) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const scalar_t v = x[i] * scale;
    const bool inside = -limit <= v && v <= limit;
    factor[i] = inside ? scale : scalar_t(0);
    out[i] = inside ? v : copysign(limit, v);
}

class ScaledClip : public torch::autograd::Function<ScaledClip> {
public:
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor x, double scale, double limit) {
        x = x.contiguous();
        auto out = torch::empty_like(x), factor = torch::empty_like(x);
        AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_clip", [&] {
            clip_kernel<scalar_t><<<(x.numel() + 511) / 512, 512, 0, c10::cuda::getCurrentCUDAStream()>>>(
                x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), factor.data_ptr<scalar_t>(), scalar_t(scale),
                scalar_t(limit), x.numel());
            C10_CUDA_KERNEL_LAUNCH_CHECK();
        });
        ctx->save_for_backward({factor});
        return out;
    }

    static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::tensor_list grads) {
        return {grads[0] * ctx->get_saved_variables()[0], torch::Tensor(), torch::Tensor()};
    }
};

torch::Tensor scaled_clip(torch::Tensor x, double scale, double limit) {
    TORCH_CHECK(x.is_cuda(), "scaled_clip: x must be on the device");
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kFloat64, "scaled_clip: dtype of x");
    TORCH_CHECK(limit >= 0.0, "scaled_clip: limit must be at least 0");
    return ScaledClip::apply(x, scale, limit);
}
