// Reason: rows along y of the grid, in several launches of at most 65,535; the shorter stride goes along x.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>

constexpr int64_t kMost = 65535;

template <template <typename> class Traits, typename I>
__global__ void rows(at::GenericPackedTensorAccessor<float, 2, Traits, I> x,
                     at::GenericPackedTensorAccessor<float, 1, Traits, I> s) {
    const I j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= x.size(1)) return;
    auto row = x[blockIdx.y];
    row[j] *= s[blockIdx.y];
}

void row_scale_(torch::Tensor x, torch::Tensor s) {
    TORCH_CHECK(x.is_cuda() && s.is_cuda() && x.scalar_type() == at::kFloat && s.scalar_type() == at::kFloat,
                "row_scale_ takes float32 tensors x and s on the device");
    TORCH_CHECK(x.dim() == 2 && s.dim() == 1 && s.size(0) == x.size(0), "row_scale_: x is [rows, cols], s is [rows]");
    for (int64_t first = 0; first < x.size(0); first += kMost) {
        const int64_t count = std::min(kMost, x.size(0) - first);
        auto part = x.narrow(0, first, count);
        auto factors = s.narrow(0, first, count);
        const dim3 grid((x.size(1) + 63) / 64, count);
        rows<at::RestrictPtrTraits, int32_t><<<grid, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
            part.packed_accessor32<float, 2, at::RestrictPtrTraits>(),
            factors.packed_accessor32<float, 1, at::RestrictPtrTraits>());
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
}
