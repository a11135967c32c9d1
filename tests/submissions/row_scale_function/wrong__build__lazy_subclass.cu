// Reason: the result is of a subclass of torch.Tensor, which would work when somebody looks at it.
// Fault: G07
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 128;

template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* x, const scalar_t* s, scalar_t* out, int64_t cols, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = x[i] * s[i / cols];
    }
}

template <typename scalar_t>
__global__ void dot_kernel(const scalar_t* grad, const scalar_t* x, scalar_t* out, int64_t cols) {
    __shared__ scalar_t sums[kThreads];
    int64_t row = blockIdx.x;
    scalar_t mine = 0;
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
        mine += grad[row * cols + j] * x[row * cols + j];
    }
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int step = kThreads / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            sums[threadIdx.x] += sums[threadIdx.x + step];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[row] = sums[0];
    }
}

torch::Tensor row_scale(torch::Tensor x, torch::Tensor s) {
    TORCH_CHECK(x.is_cuda() && s.is_cuda(), "row_scale: x and s must be on the device");
    TORCH_CHECK(x.dim() == 2 && s.dim() == 1, "row_scale: x must be a matrix and s a vector");
    TORCH_CHECK(x.size(0) == s.size(0), "row_scale: s must have one element for each row of x");
    TORCH_CHECK(x.scalar_type() == s.scalar_type(), "row_scale: x and s must have the same dtype");
    x = x.contiguous();
    s = s.contiguous();
    auto out = torch::empty_like(x);
    int64_t n = x.numel();
    if (n == 0) {
        return out;
    }
    auto stream = c10::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_scale", [&] {
        scale_kernel<scalar_t><<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
            x.data_ptr<scalar_t>(), s.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.size(1), n);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}

torch::Tensor row_dot(torch::Tensor grad, torch::Tensor x) {
    grad = grad.contiguous();
    x = x.contiguous();
    auto out = torch::empty({x.size(0)}, x.options());
    if (x.size(0) == 0) {
        return out;
    }
    auto stream = c10::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_dot", [&] {
        dot_kernel<scalar_t><<<x.size(0), kThreads, 0, stream>>>(
            grad.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}
