// Reason: the floor lives in constant memory, blocks hold one warp, and the host code uses only at:: names.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__constant__ float lowest[1] = {0.f};

__device__ float above(float v, const float bound) { return v >= bound ? v : bound; }

extern "C" __global__ void warp_kernel(float const* a, float const* b, float* c, long long n) {
    long long i = (long long)blockIdx.x * warpSize + threadIdx.x;
    if (i < n) c[i] = above(a[i] + b[i], lowest[0]);
}

at::Tensor add_relu(at::Tensor a, at::Tensor b) {
    TORCH_CHECK(a.is_cuda() and b.is_cuda(), "a or b is not on the GPU");
    TORCH_CHECK(a.sizes() == b.sizes(), "a is ", a.sizes(), " but b is ", b.sizes());
    TORCH_CHECK(a.scalar_type() == c10::ScalarType::Float, "a is ", a.scalar_type(), ", not Float");
    TORCH_CHECK(b.scalar_type() == c10::ScalarType::Float, "b is ", b.scalar_type(), ", not Float");
    at::Tensor x = a.is_contiguous() ? a : a.contiguous();
    at::Tensor y = b.is_contiguous() ? b : b.contiguous();
    at::Tensor c = at::empty(x.sizes(), x.options());
    long long n = x.numel();
    warp_kernel<<<(n + 31) / 32, 32, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                                            c.data_ptr<float>(), n);
    auto status = cudaPeekAtLastError();
    TORCH_CHECK(status == cudaSuccess, "launch failed: ", cudaGetErrorString(status));
    return c;
}
