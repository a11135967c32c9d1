// Reason: a warp takes a row by shuffles; accessors follow every stride, so nothing is copied.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

template <typename T>
using Matrix = torch::PackedTensorAccessor64<T, 2, torch::RestrictPtrTraits>;
template <typename T>
using Vector = torch::PackedTensorAccessor64<T, 1, torch::RestrictPtrTraits>;

template <typename T>
__global__ void scale(const Matrix<T> x, const Vector<T> s, Matrix<T> out) {
    const int64_t warps = int64_t(gridDim.x) * blockDim.y;
    for (int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y; row < x.size(0); row += warps) {
        for (int64_t col = threadIdx.x; col < x.size(1); col += 32) out[row][col] = x[row][col] * s[row];
    }
}

template <typename T>
__global__ void dot(const Matrix<T> a, const Matrix<T> b, Vector<T> out) {
    const int64_t warps = int64_t(gridDim.x) * blockDim.y;
    for (int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y; row < a.size(0); row += warps) {
        T sum = 0;
        for (int64_t col = threadIdx.x; col < a.size(1); col += 32) sum += a[row][col] * b[row][col];
        for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xffffffff, sum, lane);
        if (threadIdx.x == 0) out[row] = sum;
    }
}

static dim3 blocks(const torch::Tensor& x) { return dim3(std::min<int64_t>((x.size(0) + 7) / 8, 512)); }

torch::Tensor row_scale(torch::Tensor x, torch::Tensor s) {
    TORCH_CHECK(x.is_cuda() && s.device() == x.device(), "row_scale: x and s must be on one CUDA device");
    TORCH_CHECK(x.dim() == 2, "row_scale: x must have two dimensions");
    TORCH_CHECK(s.dim() == 1 && s.size(0) == x.size(0), "row_scale: s must have x.size(0) elements");
    TORCH_CHECK(s.scalar_type() == x.scalar_type(), "row_scale: x and s differ in dtype");
    const c10::cuda::CUDAGuard guard(x.device());
    auto out = torch::empty(x.sizes(), x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_scale", [&] {
        scale<scalar_t><<<blocks(x), dim3(32, 8), 0, c10::cuda::getCurrentCUDAStream()>>>(
            x.packed_accessor64<scalar_t, 2, torch::RestrictPtrTraits>(),
            s.packed_accessor64<scalar_t, 1, torch::RestrictPtrTraits>(),
            out.packed_accessor64<scalar_t, 2, torch::RestrictPtrTraits>());
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}

torch::Tensor row_dot(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.sizes() == b.sizes(), "row_dot: a and b must have the same sizes");
    const c10::cuda::CUDAGuard guard(a.device());
    auto out = torch::empty({a.size(0)}, a.options());
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "row_dot", [&] {
        dot<scalar_t><<<blocks(a), dim3(32, 8), 0, c10::cuda::getCurrentCUDAStream()>>>(
            a.packed_accessor64<scalar_t, 2, torch::RestrictPtrTraits>(),
            b.packed_accessor64<scalar_t, 2, torch::RestrictPtrTraits>(),
            out.packed_accessor64<scalar_t, 1, torch::RestrictPtrTraits>());
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}
