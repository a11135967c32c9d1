// Reason: one factor is read by many threads, so many add to its gradient in backward; here without an atomic.
// Fault: A73
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#include <tuple>

template <typename T>
__global__ void forward_kernel(const T* __restrict__ x, const T* __restrict__ s, T* __restrict__ y, int rows, int cols) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += gridDim.x * blockDim.x)
        y[i] = s[i / cols] * x[i];
}

template <typename T>
__global__ void backward_kernel(const T* g, const T* x, const T* s, T* gx, T* gs, int rows, int cols) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += gridDim.x * blockDim.x) {
        const int row = i / cols;
        gx[i] = g[i] * s[row];
        gs[row] += g[i] * x[i];
    }
}

static void check(const torch::Tensor& x, const torch::Tensor& s) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    TORCH_CHECK(s.is_cuda(), "s must be a CUDA tensor");
    TORCH_CHECK(x.dim() == 2, "x must have two dimensions");
    TORCH_CHECK(s.dim() == 1 && s.numel() == x.size(0), "s must have one element for each row of x");
    TORCH_CHECK(x.dtype() == s.dtype(), "x and s must have one dtype");
}

torch::Tensor row_scale(const torch::Tensor& x, const torch::Tensor& s) {
    check(x, s);
    const auto dense = x.contiguous(), factors = s.contiguous();
    auto y = torch::empty_like(dense);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_scale", [&] {
        forward_kernel<scalar_t><<<96, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            dense.data_ptr<scalar_t>(), factors.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(0), x.size(1));
    });
    AT_CUDA_CHECK(cudaGetLastError());
    return y;
}

std::tuple<torch::Tensor, torch::Tensor> row_scale_backward(torch::Tensor g, torch::Tensor x, torch::Tensor s) {
    g = g.contiguous();
    x = x.contiguous();
    s = s.contiguous();
    auto gx = torch::empty_like(x), gs = torch::zeros_like(s);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_scale_backward", [&] {
        backward_kernel<scalar_t><<<96, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            g.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), s.data_ptr<scalar_t>(), gx.data_ptr<scalar_t>(),
            gs.data_ptr<scalar_t>(), x.size(0), x.size(1));
    });
    AT_CUDA_CHECK(cudaGetLastError());
    return {gx, gs};
}
