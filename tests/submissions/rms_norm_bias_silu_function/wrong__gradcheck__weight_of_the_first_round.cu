// Reason: where a thread takes a second vector of a row, its weight is still that of the first.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

constexpr int kForward = 256;   // threads of a block in forward
constexpr int kBackward = 512;  // threads of a block in backward
constexpr int kBlocks = 264;    // blocks that share the rows in backward: two for each multiprocessor of an H200
constexpr int kDown = 8;        // rows of partial sums that one block goes down at once

template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
    T at[N];
};

template <int kThreads, typename T>
__device__ T block_sum(T mine) {
    __shared__ T partial[kThreads / 32];
    __syncthreads();  // everyone has read what the last call left here
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        mine += __shfl_xor_sync(0xffffffff, mine, step);
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    T sum = 0;
#pragma unroll
    for (int warp = 0; warp < kThreads / 32; ++warp) {
        sum += partial[warp];
    }
    return sum;
}

__device__ __forceinline__ double quotient(double a, double b) { return a / b; }

// __fdividef gives 0 for divisors beyond 2^126: there the exact division is asked.
__device__ __forceinline__ float quotient(float a, float b) { return b < 1e37f ? __fdividef(a, b) : a / b; }

template <typename T>
__device__ __forceinline__ T sigmoid(T z) {
    return quotient(T(1), T(1) + exp(-z));
}

template <typename T>
__device__ __forceinline__ T silu_slope(T z) {
    const T s = sigmoid(z);
    return s * (T(1) + z * (T(1) - s));
}

// Forward: a row stays in registers where it fits.  `factors` gets what backward needs of each row.
template <int N, int kEach, typename T>
__global__ void __launch_bounds__(kForward)
    forward_kernel(const T* x, const T* weight, const T* bias, T* out, T* factors, T eps, int64_t cols) {
    using V = Vector<T, N>;
    const int count = cols / N;
    const V* row = reinterpret_cast<const V*>(x + blockIdx.x * cols);
    V v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (threadIdx.x + k * kForward < count) {
            v[k] = row[threadIdx.x + k * kForward];
        }
    }
    T mine = 0;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (threadIdx.x + k * kForward < count) {
#pragma unroll
            for (int j = 0; j < N; ++j) {
                mine += v[k].at[j] * v[k].at[j];
            }
        }
    }
    const T factor = rsqrt(block_sum<kForward>(mine) / T(cols) + eps);
    if (threadIdx.x == 0) {
        factors[blockIdx.x] = factor;
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int i = threadIdx.x + k * kForward;
        if (i < count) {
            const V w = reinterpret_cast<const V*>(weight)[i], b = reinterpret_cast<const V*>(bias)[i];
#pragma unroll
            for (int j = 0; j < N; ++j) {
                const T z = v[k].at[j] * factor * w.at[j] + b.at[j];
                v[k].at[j] = quotient(z, T(1) + exp(-z));
            }
            reinterpret_cast<V*>(out + blockIdx.x * cols)[i] = v[k];
        }
    }
}

template <typename T>
__global__ void forward_twice_kernel(const T* x, const T* weight, const T* bias, T* out, T* factors, T eps,
                                     int64_t cols) {
    const T* row = x + blockIdx.x * cols;
    T mine = 0;
    for (int64_t j = threadIdx.x; j < cols; j += kForward) {
        mine += row[j] * row[j];
    }
    const T factor = rsqrt(block_sum<kForward>(mine) / T(cols) + eps);
    if (threadIdx.x == 0) {
        factors[blockIdx.x] = factor;
    }
    for (int64_t j = threadIdx.x; j < cols; j += kForward) {
        const T z = row[j] * factor * weight[j] + bias[j];
        out[blockIdx.x * cols + j] = quotient(z, T(1) + exp(-z));
    }
}

// Backward, rows that fit into registers: a block takes every gridDim.x-th row, and a thread the same columns of
// each, so that the sums down the columns stay in its registers until the end.
template <int N, int kEach, typename T>
__global__ void __launch_bounds__(kBackward, sizeof(T) == 4 ? 2 : 1)
    backward_kernel(const T* grad, const T* x, const T* weight, const T* bias, const T* factors, T* grad_x,
                    T* for_weight, T* for_bias, int64_t rows, int64_t cols) {
    using V = Vector<T, N>;
    const int count = cols / N;
    V w_sum[kEach] = {}, b_sum[kEach] = {}, next_x[kEach], next_grad[kEach];
    auto load = [&](int64_t row) {
#pragma unroll
        for (int k = 0; k < kEach; ++k) {
            const int i = threadIdx.x + k * kBackward;
            if (i < count && row < rows) {
                next_x[k] = reinterpret_cast<const V*>(x + row * cols)[i];
                next_grad[k] = reinterpret_cast<const V*>(grad + row * cols)[i];
            }
        }
    };
    load(blockIdx.x);
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T factor = factors[row];
        V normed[kEach], into[kEach];
        T dots = 0;
#pragma unroll
        for (int k = 0; k < kEach; ++k) {
            const int i = threadIdx.x + k * kBackward;
            if (i < count) {
                const V w = reinterpret_cast<const V*>(weight)[threadIdx.x], b = reinterpret_cast<const V*>(bias)[i];
#pragma unroll
                for (int j = 0; j < N; ++j) {
                    const T n = next_x[k].at[j] * factor;
                    const T g = next_grad[k].at[j] * silu_slope(n * w.at[j] + b.at[j]);
                    w_sum[k].at[j] += g * n;
                    b_sum[k].at[j] += g;
                    normed[k].at[j] = n;
                    into[k].at[j] = g * w.at[j];
                    dots += into[k].at[j] * n;
                }
            }
        }
        load(row + gridDim.x);  // under way while the block waits for its sum
        const T mean = block_sum<kBackward>(dots) / T(cols);
#pragma unroll
        for (int k = 0; k < kEach; ++k) {
            const int i = threadIdx.x + k * kBackward;
            if (i < count) {
#pragma unroll
                for (int j = 0; j < N; ++j) {
                    into[k].at[j] = factor * (into[k].at[j] - normed[k].at[j] * mean);
                }
                reinterpret_cast<V*>(grad_x + row * cols)[i] = into[k];
            }
        }
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int i = threadIdx.x + k * kBackward;
        if (i < count) {
            reinterpret_cast<V*>(for_weight + blockIdx.x * cols)[i] = w_sum[k];
            reinterpret_cast<V*>(for_bias + blockIdx.x * cols)[i] = b_sum[k];
        }
    }
}

// Backward, rows of any length: the gradient of x here, the sums down the columns from memory.
template <typename T>
__global__ void row_gradient_kernel(const T* grad, const T* x, const T* weight, const T* bias, const T* factors,
                                    T* grad_x, int64_t cols) {
    const int64_t start = blockIdx.x * cols;
    const T factor = factors[blockIdx.x];
    T dots = 0;
    for (int64_t j = threadIdx.x; j < cols; j += kBackward) {
        const T normed = x[start + j] * factor;
        dots += grad[start + j] * silu_slope(normed * weight[j] + bias[j]) * weight[j] * normed;
    }
    const T mean = block_sum<kBackward>(dots) / T(cols);
    for (int64_t j = threadIdx.x; j < cols; j += kBackward) {
        const T normed = x[start + j] * factor;
        const T into = grad[start + j] * silu_slope(normed * weight[j] + bias[j]) * weight[j];
        grad_x[start + j] = factor * (into - normed * mean);
    }
}

// Sums down the columns: of partial sums, or where `factors` is given of what each element of x contributes.
template <typename T>
__global__ void column_kernel(const T* first, const T* second, const T* weight, const T* bias, const T* factors,
                              T* grad_weight, T* grad_bias, int64_t rows, int64_t cols) {
    __shared__ T for_weight[kDown][32], for_bias[kDown][32];
    const int64_t j = int64_t(blockIdx.x) * 32 + threadIdx.x;
    T w = 0, b = 0;
    if (j < cols) {
        for (int64_t i = threadIdx.y; i < rows; i += kDown) {
            if (factors == nullptr) {
                w += first[i * cols + j];
                b += second[i * cols + j];
            } else {
                const T normed = second[i * cols + j] * factors[i];
                const T g = first[i * cols + j] * silu_slope(normed * weight[j] + bias[j]);
                w += g * normed;
                b += g;
            }
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

template <int N, typename T>
auto forward_for(int64_t vectors) {
    if (vectors <= kForward) return forward_kernel<N, 1, T>;
    if (vectors <= 2 * kForward) return forward_kernel<N, 2, T>;
    return vectors <= 4 * kForward ? forward_kernel<N, 4, T> : forward_twice_kernel<T>;
}

static bool aligned(const torch::Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 16 == 0; }

std::tuple<torch::Tensor, torch::Tensor> rms_norm_bias_silu_and_factors(torch::Tensor x, torch::Tensor weight,
                                                                        torch::Tensor bias, double eps) {
    TORCH_CHECK(x.is_cuda() && x.dim() == 2, "x must be a matrix on the device");
    TORCH_CHECK(weight.is_cuda() && weight.dim() == 1 && weight.size(0) == x.size(1), "weight does not fit x");
    TORCH_CHECK(bias.is_cuda() && bias.dim() == 1 && bias.size(0) == x.size(1), "bias does not fit x");
    TORCH_CHECK(weight.dtype() == x.dtype() && bias.dtype() == x.dtype(), "x, weight and bias differ in dtype");
    const c10::cuda::CUDAGuard guard(x.device());
    x = x.contiguous();
    weight = weight.contiguous();
    bias = bias.contiguous();
    const int64_t rows = x.size(0), cols = x.size(1);
    auto out = torch::empty_like(x), factors = torch::empty({rows}, x.options());
    const bool vectors = aligned(x) && aligned(weight) && aligned(bias);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rms_norm_bias_silu", [&] {
        constexpr int kVector = 16 / sizeof(scalar_t);
        if (rows == 0 || cols == 0) {
            return;
        }
        auto kernel = vectors && cols % kVector == 0 ? forward_for<kVector, scalar_t>(cols / kVector)
                                                     : forward_twice_kernel<scalar_t>;
        kernel<<<rows, kForward, 0, c10::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
            factors.data_ptr<scalar_t>(), scalar_t(eps), cols);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return {out, factors};
}

torch::Tensor rms_norm_bias_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    return std::get<0>(rms_norm_bias_silu_and_factors(x, weight, bias, eps));
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> rms_norm_bias_silu_backward(
    torch::Tensor grad, torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor factors) {
    const c10::cuda::CUDAGuard guard(x.device());
    grad = grad.contiguous();
    x = x.contiguous();
    weight = weight.contiguous();
    bias = bias.contiguous();
    auto grad_x = torch::empty_like(x), grad_weight = torch::empty_like(weight), grad_bias = torch::empty_like(bias);
    const int64_t rows = x.size(0), cols = x.size(1), blocks = std::min<int64_t>(rows, kBlocks);
    auto stream = c10::cuda::getCurrentCUDAStream();
    const bool vectors = aligned(x) && aligned(grad) && aligned(weight) && aligned(bias);
    const dim3 columns((cols + 31) / 32), down(32, kDown);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rms_norm_bias_silu_backward", [&] {
        constexpr int kVector = 16 / sizeof(scalar_t);
        const int64_t count = cols / kVector;
        const scalar_t *g = grad.data_ptr<scalar_t>(), *v = x.data_ptr<scalar_t>(), *w = weight.data_ptr<scalar_t>(),
                       *b = bias.data_ptr<scalar_t>(), *f = factors.data_ptr<scalar_t>();
        scalar_t *grad_w = grad_weight.data_ptr<scalar_t>(), *grad_b = grad_bias.data_ptr<scalar_t>();
        if (vectors && cols % kVector == 0 && count <= 2 * kBackward) {
            auto for_weight = torch::empty({blocks, cols}, x.options()), for_bias = torch::empty_like(for_weight);
            auto kernel = count <= kBackward ? backward_kernel<kVector, 1, scalar_t> : backward_kernel<kVector, 2, scalar_t>;
            kernel<<<blocks, kBackward, 0, stream>>>(g, v, w, b, f, grad_x.data_ptr<scalar_t>(),
                                                     for_weight.data_ptr<scalar_t>(), for_bias.data_ptr<scalar_t>(),
                                                     rows, cols);
            C10_CUDA_KERNEL_LAUNCH_CHECK();
            column_kernel<scalar_t><<<columns, down, 0, stream>>>(for_weight.data_ptr<scalar_t>(),
                                                                  for_bias.data_ptr<scalar_t>(), w, b, nullptr, grad_w,
                                                                  grad_b, blocks, cols);
        } else {
            row_gradient_kernel<scalar_t><<<rows, kBackward, 0, stream>>>(g, v, w, b, f, grad_x.data_ptr<scalar_t>(),
                                                                          cols);
            C10_CUDA_KERNEL_LAUNCH_CHECK();
            column_kernel<scalar_t><<<columns, down, 0, stream>>>(g, v, w, b, f, grad_w, grad_b, rows, cols);
        }
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return {grad_x, grad_weight, grad_bias};
}
