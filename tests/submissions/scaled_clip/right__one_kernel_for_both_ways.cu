// Reason: one kernel works both ways, by whether there is a gradient; doubles throughout; a guard in backward too.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

template <typename T>
__global__ void both_ways(const T* x, const T* grad, T* out, double scale, double limit, int64_t n) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const double v = scale * double(x[i]);
        if (grad == nullptr) {
            out[i] = T(v > limit ? limit : (v < -limit ? -limit : v));
        } else {
            out[i] = v > limit || v < -limit ? T(0) : T(scale * double(grad[i]));
        }
    }
}

static at::Tensor run(const at::Tensor& x, const at::Tensor& grad, double scale, double limit) {
    const c10::cuda::CUDAGuard guard(x.device());
    auto out = at::empty(x.sizes(), x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_clip", [&] {
        both_ways<scalar_t><<<64, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), grad.defined() ? grad.data_ptr<scalar_t>() : nullptr, out.data_ptr<scalar_t>(),
            scale, limit, x.numel());
        AT_CUDA_CHECK(cudaGetLastError());
    });
    return out;
}

struct ScaledClipFunction : public torch::autograd::Function<ScaledClipFunction> {
    static at::Tensor forward(torch::autograd::AutogradContext* ctx, at::Tensor x, double scale, double limit) {
        at::Tensor dense = x.contiguous();
        ctx->save_for_backward({dense});
        ctx->saved_data["scale"] = scale;
        ctx->saved_data["limit"] = limit;
        return run(dense, {}, scale, limit);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto x = ctx->get_saved_variables().at(0);
        const double scale = ctx->saved_data["scale"].toDouble(), limit = ctx->saved_data["limit"].toDouble();
        return {run(x, grads.at(0).contiguous(), scale, limit), at::Tensor(), at::Tensor()};
    }
};

torch::Tensor scaled_clip(torch::Tensor x, double scale, double limit) {
    TORCH_CHECK_VALUE(limit >= 0, "scaled_clip: limit must be zero or more");
    TORCH_CHECK(x.is_cuda(), "scaled_clip: x must be on a CUDA device");
    TORCH_CHECK_TYPE(at::isFloatingType(x.scalar_type()), "scaled_clip: x must be float32 or float64");
    return ScaledClipFunction::apply(x, scale, limit);
}
