// Reason: the result says where the clamp is active; backward works only if asked, and never in place.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace {

template <typename scalar_t, typename Operation>
__global__ void map_kernel(const scalar_t* in, scalar_t* out, int64_t n, Operation operation) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operation(in[i], i);
}

template <typename scalar_t>
struct Clip {
    scalar_t scale, limit;
    __device__ scalar_t operator()(scalar_t x, int64_t) const {
        const scalar_t v = scale * x;
        return v < -limit ? -limit : (limit < v ? limit : v);
    }
};

template <typename scalar_t>
struct Gate {
    const scalar_t* out;
    scalar_t scale, limit;
    __device__ scalar_t operator()(scalar_t grad, int64_t i) const {
        return out[i] == limit || out[i] == -limit ? scalar_t(0) : scale * grad;
    }
};

template <typename scalar_t, typename Operation>
torch::Tensor map(const torch::Tensor& in, Operation operation) {
    auto out = torch::empty(in.sizes(), in.options());
    const int64_t n = in.numel();
    map_kernel<scalar_t><<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n, operation);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

class ClipFunction : public torch::autograd::Function<ClipFunction> {
public:
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* ctx, torch::Tensor x,
                                                  double scale, double limit) {
        const c10::cuda::CUDAGuard guard(x.device());
        x = x.contiguous();
        torch::Tensor out;
        AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_clip", [&] {
            out = map<scalar_t>(x, Clip<scalar_t>{static_cast<scalar_t>(scale), static_cast<scalar_t>(limit)});
        });
        ctx->save_for_backward({out});
        ctx->saved_data["numbers"] = std::vector<double>{scale, limit};
        return {out};
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        torch::Tensor result;
        if (ctx->needs_input_grad(0)) {
            const auto out = ctx->get_saved_variables()[0];
            const auto numbers = ctx->saved_data["numbers"].toDoubleVector();
            AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "scaled_clip_backward", [&] {
                const Gate<scalar_t> gate{out.data_ptr<scalar_t>(), scalar_t(numbers[0]), scalar_t(numbers[1])};
                result = map<scalar_t>(grads[0].contiguous(), gate);
            });
        }
        return {result, torch::Tensor(), torch::Tensor()};
    }
};

}  // namespace

torch::Tensor scaled_clip(torch::Tensor x, double scale, double limit) {
    TORCH_CHECK(x.is_cuda(), "scaled_clip: x must be on the device");
    TORCH_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble, "scaled_clip: x's dtype");
    TORCH_CHECK(limit >= 0, "scaled_clip: limit must not be negative");
    return ClipFunction::apply(x, scale, limit)[0];
}
