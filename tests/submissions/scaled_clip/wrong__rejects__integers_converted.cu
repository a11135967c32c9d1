// Reason: integers become floats instead of an exception.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

template <typename scalar_t>
__global__ void clip_kernel(const scalar_t* x, scalar_t* out, bool* active, scalar_t scale, scalar_t limit, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        scalar_t v = scale * x[i];
        active[i] = v > limit || v < -limit;
        out[i] = v > limit ? limit : v < -limit ? -limit : v;
    }
}

template <typename scalar_t>
__global__ void clip_backward_kernel(const scalar_t* grad, const bool* active, scalar_t* out, scalar_t scale, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = active[i] ? scalar_t(0) : scale * grad[i];
    }
}

class ScaledClip : public torch::autograd::Function<ScaledClip> {
public:
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor x, double scale, double limit) {
        x = x.contiguous();
        auto out = torch::empty_like(x);
        auto active = torch::empty_like(x, x.options().dtype(torch::kBool));
        int64_t n = x.numel();
        auto stream = c10::cuda::getCurrentCUDAStream();
        AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_clip", [&] {
            clip_kernel<scalar_t><<<(n + 255) / 256, 256, 0, stream>>>(
                x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), active.data_ptr<bool>(), scale, limit, n);
            C10_CUDA_KERNEL_LAUNCH_CHECK();
        });
        ctx->save_for_backward({active});
        ctx->saved_data["scale"] = scale;
        return out;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        auto active = ctx->get_saved_variables()[0];
        double scale = ctx->saved_data["scale"].toDouble();
        auto grad = grads[0].contiguous();
        auto out = torch::empty_like(grad);
        int64_t n = grad.numel();
        auto stream = c10::cuda::getCurrentCUDAStream();
        AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "scaled_clip_backward", [&] {
            clip_backward_kernel<scalar_t><<<(n + 255) / 256, 256, 0, stream>>>(
                grad.data_ptr<scalar_t>(), active.data_ptr<bool>(), out.data_ptr<scalar_t>(), scale, n);
            C10_CUDA_KERNEL_LAUNCH_CHECK();
        });
        return {out, torch::Tensor(), torch::Tensor()};
    }
};

torch::Tensor scaled_clip(torch::Tensor x, double scale, double limit) {
    TORCH_CHECK(x.is_cuda(), "scaled_clip: x must be on the device");
    if (!x.is_floating_point()) x = x.to(torch::kFloat);
    TORCH_CHECK(limit >= 0, "scaled_clip: limit must not be negative");
    return ScaledClip::apply(x, scale, limit);
}
