// Reason: the backward kernel writes to a tensor on device 0, whatever device the gradient is on.
// Fault: A33
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename T>
__global__ void add_relu_kernel(const T* a, const T* b, T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        T v = a[i] + b[i];
        out[i] = v > T(0) ? v : T(0);
    }
}

template <typename T>
__global__ void gate_kernel(const T* grad, const T* out, T* result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        result[i] = out[i] > T(0) ? grad[i] : T(0);
    }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "a and b must be CUDA tensors");
    TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
    TORCH_CHECK(a.scalar_type() == b.scalar_type(), "a and b must have the same dtype");
    a = a.contiguous();
    b = b.contiguous();
    auto out = torch::empty_like(a);
    int n = a.numel();
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "add_relu", [&] {
        add_relu_kernel<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
    });
    return out;
}

torch::Tensor add_relu_backward(torch::Tensor grad, torch::Tensor out) {
    grad = grad.contiguous();
    auto scratch = torch::empty(grad.sizes(), grad.options().device(torch::kCUDA, 0));
    int n = grad.numel();
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "add_relu_backward", [&] {
        gate_kernel<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            grad.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), scratch.data_ptr<scalar_t>(), n);
    });
    return scratch.to(grad.device());
}
