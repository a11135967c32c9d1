// Reason: the autograd function is written in C++ and the Python side only calls it.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename scalar_t>
__global__ void add_relu_kernel(const scalar_t* a, const scalar_t* b, scalar_t* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        scalar_t v = a[i] + b[i];
        out[i] = v > scalar_t(0) ? v : scalar_t(0);
    }
}

template <typename scalar_t>
__global__ void gate_kernel(const scalar_t* grad, const scalar_t* out, scalar_t* result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) result[i] = out[i] > scalar_t(0) ? grad[i] : scalar_t(0);
}

class AddReLUFunction : public torch::autograd::Function<AddReLUFunction> {
public:
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor a, torch::Tensor b) {
        a = a.contiguous();
        b = b.contiguous();
        auto out = torch::empty_like(a);
        int n = a.numel();
        AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "add_relu", [&] {
            add_relu_kernel<scalar_t><<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
                a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
        });
        ctx->save_for_backward({out});
        return out;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        auto out = ctx->get_saved_variables()[0];
        auto grad = grads[0].contiguous();
        auto result = torch::empty_like(grad);
        int n = grad.numel();
        AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "add_relu_backward", [&] {
            gate_kernel<scalar_t><<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
                grad.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), result.data_ptr<scalar_t>(), n);
        });
        return {result, result};
    }
};

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "a and b must be CUDA tensors");
    TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
    TORCH_CHECK(a.scalar_type() == b.scalar_type(), "a and b must have the same dtype");
    return AddReLUFunction::apply(a, b);
}
