// Reason: the result is written over a, which is neither cloned nor marked dirty.
// Also fails: close
// Fault: A91
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

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "a and b must be CUDA tensors");
    TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
    TORCH_CHECK(a.scalar_type() == b.scalar_type(), "a and b must have the same dtype");
    a = a.contiguous();
    b = b.contiguous();
    auto out = a;
    int n = a.numel();
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "add_relu", [&] {
        add_relu_kernel<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
    });
    return out;
}
