// Reason: 16-byte loads where all three pointers allow them, a scalar tail, and a scalar kernel for offset views.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ __forceinline__ float rectified_sum(float x, float y) {
    const float s = x + y;
    return s < 0.f ? 0.f : s;
}

__global__ void scalar_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                              int64_t first, int64_t n) {
    const int64_t i = first + blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = rectified_sum(a[i], b[i]);
}

__global__ void vector_kernel(const float4* __restrict__ a, const float4* __restrict__ b,
                              float4* __restrict__ out, int64_t quads) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i >= quads) return;
    const float4 x = a[i];
    const float4 y = b[i];
    out[i] = make_float4(rectified_sum(x.x, y.x), rectified_sum(x.y, y.y), rectified_sum(x.z, y.z),
                         rectified_sum(x.w, y.w));
}

static bool on_16_bytes(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda(), "add_relu: a is not a CUDA tensor");
    TORCH_CHECK(b.is_cuda(), "add_relu: b is not a CUDA tensor");
    TORCH_CHECK(a.dtype() == torch::kFloat && b.dtype() == torch::kFloat, "add_relu: a and b must be float32");
    TORCH_CHECK(a.sizes().equals(b.sizes()), "add_relu: a and b differ in size");
    auto ac = a.contiguous(), bc = b.contiguous();
    auto out = torch::empty(a.sizes(), a.options());
    const float* pa = ac.data_ptr<float>();
    const float* pb = bc.data_ptr<float>();
    float* po = out.data_ptr<float>();
    const int64_t n = out.numel();
    const bool vectors = on_16_bytes(pa) && on_16_bytes(pb) && on_16_bytes(po);
    const int64_t quads = vectors ? n / 4 : 0;
    const int64_t rest = n - 4 * quads;
    cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    if (quads > 0) {
        vector_kernel<<<(quads + 127) / 128, 128, 0, stream>>>(reinterpret_cast<const float4*>(pa),
                                                               reinterpret_cast<const float4*>(pb),
                                                               reinterpret_cast<float4*>(po), quads);
    }
    if (rest > 0) {
        scalar_kernel<<<(rest + 127) / 128, 128, 0, stream>>>(pa, pb, po, 4 * quads, n);
    }
    AT_CUDA_CHECK(cudaGetLastError());
    return out;
}
