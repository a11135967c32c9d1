// Reason: the fake promises float32, whatever its arguments are.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

template <typename scalar_t>
__global__ void add_relu_kernel(const scalar_t* a, const scalar_t* b, scalar_t* out, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        const scalar_t v = a[i] + b[i];
        out[i] = v > scalar_t(0) ? v : scalar_t(0);
    }
}

torch::Tensor add_relu(const torch::Tensor& a, const torch::Tensor& b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "add_relu: a and b must be on the device");
    TORCH_CHECK(a.sizes() == b.sizes(), "add_relu: a and b must have the same sizes");
    TORCH_CHECK(a.scalar_type() == b.scalar_type(), "add_relu: a and b must have the same dtype");
    const auto x = a.contiguous(), y = b.contiguous();
    auto out = torch::empty_like(x);
    const int64_t n = x.numel();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "add_relu", [&] {
        if (n == 0) {
            return;
        }
        add_relu_kernel<scalar_t><<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}

TORCH_LIBRARY(course, m) { m.def("add_relu(Tensor a, Tensor b) -> Tensor"); }

TORCH_LIBRARY_IMPL(course, CUDA, m) { m.impl("add_relu", &add_relu); }
