// Reason: the fast form: 16 bytes a load, four loads under way in each thread, the tail by single elements.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

constexpr int kThreads = 256, kEach = 2;

__device__ __forceinline__ float rectified(float v) { return v < 0.0f ? 0.0f : v; }

__global__ void __launch_bounds__(kThreads) vectors_kernel(const float* a, const float* b, float* out, int64_t n) {
    const int64_t count = n / 4, first = int64_t(blockIdx.x) * (kThreads * kEach) + threadIdx.x;
    float4 x[kEach], y[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < count) {
            x[k] = reinterpret_cast<const float4*>(a)[i];
            y[k] = reinterpret_cast<const float4*>(b)[i];
        }
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < count) {
            reinterpret_cast<float4*>(out)[i] =
                make_float4(rectified(x[k].x + y[k].x), rectified(x[k].y + y[k].y), rectified(x[k].z + y[k].z),
                            rectified(x[k].w + y[k].w));
        }
    }
    const int64_t last = count * 4 + threadIdx.x;
    if (blockIdx.x == 0 && last < n) {
        out[last] = rectified(a[last] + b[last]);
    }
}

__global__ void elements_kernel(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = rectified(a[i] + b[i]);
    }
}

static bool aligned(const torch::Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 16 == 0; }

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "add_relu: a and b must be on the device");
    TORCH_CHECK(a.scalar_type() == torch::kFloat && b.scalar_type() == torch::kFloat,
                "add_relu: a and b must be float32");
    TORCH_CHECK(a.sizes() == b.sizes(), "add_relu: a and b must have the same sizes");
    const c10::cuda::CUDAGuard guard(a.device());
    a = a.contiguous();
    b = b.contiguous();
    auto out = torch::empty_like(a);
    const int64_t n = a.numel();
    const bool vectors = aligned(a) && aligned(b) && aligned(out);
    const int64_t covered = vectors ? 4 * kThreads * kEach : kThreads;
    auto kernel = vectors ? vectors_kernel : elements_kernel;
    kernel<<<(n + covered - 1) / covered, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
