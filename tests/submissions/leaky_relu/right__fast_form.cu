// Reason: the fast form: 16 bytes a load in every type, four loads under way in each thread, a tail of elements.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>
#include <type_traits>

constexpr int kThreads = 256, kEach = 4;

template <typename scalar_t>
using wide_t = std::conditional_t<std::is_same_v<scalar_t, double>, double, float>;

template <typename scalar_t, int N>
struct alignas(sizeof(scalar_t) * N) Vector {
    scalar_t at[N];
};

template <typename scalar_t>
__device__ __forceinline__ scalar_t leaky(scalar_t v, wide_t<scalar_t> slope) {
    const wide_t<scalar_t> wide = v;
    return wide > 0 ? v : scalar_t(wide * slope);
}

// Vectors of N elements, then the elements behind the last whole vector.  With N = 1 there are none.
template <int N, typename scalar_t>
__global__ void __launch_bounds__(kThreads)
    leaky_relu_kernel(const scalar_t* x, scalar_t* out, wide_t<scalar_t> slope, int64_t n) {
    using V = Vector<scalar_t, N>;
    const int64_t count = n / N, first = int64_t(blockIdx.x) * (kThreads * kEach) + threadIdx.x;
    V v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < count) {
            v[k] = reinterpret_cast<const V*>(x)[i];
        }
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < count) {
#pragma unroll
            for (int j = 0; j < N; ++j) {
                v[k].at[j] = leaky(v[k].at[j], slope);
            }
            reinterpret_cast<V*>(out)[i] = v[k];
        }
    }
    const int64_t last = count * N + threadIdx.x;
    if (blockIdx.x == 0 && last < n) {
        out[last] = leaky(x[last], slope);
    }
}

static bool aligned(const torch::Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 16 == 0; }

torch::Tensor leaky_relu(torch::Tensor x, double slope) {
    TORCH_CHECK(x.is_cuda(), "leaky_relu: x must be on the device");
    const c10::cuda::CUDAGuard guard(x.device());
    x = x.contiguous();
    auto out = torch::empty_like(x);
    const int64_t n = x.numel();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "leaky_relu", [&] {
        if (n == 0) {
            return;
        }
        constexpr int kVector = 16 / sizeof(scalar_t);
        const bool vectors = aligned(x) && aligned(out);
        const int64_t covered = int64_t(kThreads) * kEach * (vectors ? kVector : 1);
        auto kernel = vectors ? leaky_relu_kernel<kVector, scalar_t> : leaky_relu_kernel<1, scalar_t>;
        kernel<<<(n + covered - 1) / covered, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), wide_t<scalar_t>(slope), n);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}
