// Reason: the incoming gradient may be expanded or transposed, and is read as if it were dense.
// Also fails: memory
// Fault: A22
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <tuple>

constexpr int kThreads = 256;  // along a row
constexpr int kDown = 8;        // rows that one block goes down at once

template <typename T>
__device__ T block_sum(T mine) {
    __shared__ T partial[kThreads / 32];
    __syncthreads();  // everyone has read what the last call left here
    for (int step = 16; step > 0; step /= 2) {
        mine += __shfl_down_sync(0xffffffff, mine, step);
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    T sum = 0;
    for (int warp = 0; warp < kThreads / 32; ++warp) {
        sum += partial[warp];
    }
    return sum;
}

template <typename scalar_t>
__global__ void rms_norm_bias_silu_kernel(const scalar_t* x, const scalar_t* weight, const scalar_t* bias,
                                          scalar_t* out, scalar_t eps, int64_t cols) {
    using T = scalar_t;
    const scalar_t* row = x + blockIdx.x * cols;
    T mine = 0;
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
        mine += T(row[j]) * T(row[j]);
    }
    const T factor = rsqrt(block_sum(mine) / T(cols) + eps);
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
        const T z = T(row[j]) * factor * T(weight[j]) + T(bias[j]);
        out[blockIdx.x * cols + j] = scalar_t(z / (T(1) + exp(-z)));
    }
}

torch::Tensor rms_norm_bias_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    TORCH_CHECK(x.is_cuda() && weight.is_cuda() && bias.is_cuda(), "x, weight and bias must be on the device");
    TORCH_CHECK(x.dim() == 2 && weight.dim() == 1 && bias.dim() == 1, "x must be a matrix, weight and bias vectors");
    TORCH_CHECK(weight.size(0) == x.size(1) && bias.size(0) == x.size(1),
                "weight and bias must have one element for each column of x");
    TORCH_CHECK(weight.scalar_type() == x.scalar_type() && bias.scalar_type() == x.scalar_type(),
                "x, weight and bias must have the same dtype");
    x = x.contiguous();
    weight = weight.contiguous();
    bias = bias.contiguous();
    auto out = torch::empty_like(x);
    auto stream = c10::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rms_norm_bias_silu", [&] {
        if (x.numel() == 0) {
            return;
        }
        rms_norm_bias_silu_kernel<scalar_t><<<x.size(0), kThreads, 0, stream>>>(
            x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(),
            out.data_ptr<scalar_t>(), eps, x.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}

template <typename T>
__device__ T silu_slope(T z) {
    const T s = T(1) / (T(1) + exp(-z));
    return s * (T(1) + z * (T(1) - s));
}

template <typename T>
__global__ void row_gradient_kernel(const T* grad, const T* x, const T* weight, const T* bias, T* grad_x, T* factors,
                                    T eps, int64_t cols) {
    const int64_t start = blockIdx.x * cols;
    T squares = 0;
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
        squares += x[start + j] * x[start + j];
    }
    const T factor = rsqrt(block_sum(squares) / T(cols) + eps);
    T dots = 0;
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
        const T normed = x[start + j] * factor;
        const T g = grad[start + j] * silu_slope(normed * weight[j] + bias[j]);
        dots += g * weight[j] * normed;
    }
    const T mean = block_sum(dots) / T(cols);
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
        const T normed = x[start + j] * factor;
        const T g = grad[start + j] * silu_slope(normed * weight[j] + bias[j]);
        grad_x[start + j] = factor * (g * weight[j] - normed * mean);
    }
    if (threadIdx.x == 0) {
        factors[blockIdx.x] = factor;
    }
}

template <typename T>
__global__ void column_gradient_kernel(const T* grad, const T* x, const T* weight, const T* bias, const T* factors,
                                       T* grad_weight, T* grad_bias, int64_t rows, int64_t cols) {
    __shared__ T for_weight[kDown][32], for_bias[kDown][32];
    const int64_t j = int64_t(blockIdx.x) * 32 + threadIdx.x;
    T w = 0, b = 0;
    if (j < cols) {
        for (int64_t i = threadIdx.y; i < rows; i += kDown) {
            const T normed = x[i * cols + j] * factors[i];
            const T g = grad[i * cols + j] * silu_slope(normed * weight[j] + bias[j]);
            w += g * normed;
            b += g;
        }
    }
    for_weight[threadIdx.y][threadIdx.x] = w;
    for_bias[threadIdx.y][threadIdx.x] = b;
    __syncthreads();
    if (threadIdx.y == 0 && j < cols) {
        for (int k = 1; k < kDown; ++k) {
            w += for_weight[k][threadIdx.x];
            b += for_bias[k][threadIdx.x];
        }
        grad_weight[j] = w;
        grad_bias[j] = b;
    }
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> rms_norm_bias_silu_backward(
    torch::Tensor grad, torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    x = x.contiguous();
    weight = weight.contiguous();
    bias = bias.contiguous();
    auto grad_x = torch::empty_like(x), grad_weight = torch::empty_like(weight), grad_bias = torch::empty_like(bias);
    auto factors = torch::empty({x.size(0)}, x.options());
    const int64_t rows = x.size(0), cols = x.size(1);
    auto stream = c10::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rms_norm_bias_silu_backward", [&] {
        row_gradient_kernel<scalar_t><<<rows, kThreads, 0, stream>>>(
            grad.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(),
            grad_x.data_ptr<scalar_t>(), factors.data_ptr<scalar_t>(), eps, cols);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        column_gradient_kernel<scalar_t><<<(cols + 31) / 32, dim3(32, kDown), 0, stream>>>(
            grad.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(),
            factors.data_ptr<scalar_t>(), grad_weight.data_ptr<scalar_t>(), grad_bias.data_ptr<scalar_t>(), rows, cols);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return {grad_x, grad_weight, grad_bias};
}
