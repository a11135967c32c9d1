// Reason: the fast form: 16 bytes a load where rows allow it, four loads under way in each thread, else accessors.
#include <torch/extension.h>
#include <ATen/core/TensorAccessor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

constexpr int kThreads = 256, kEach = 4;

using Matrix = torch::PackedTensorAccessor64<float, 2, torch::RestrictPtrTraits>;

// `across` vectors of four make up a row; a block has up to kThreads * kEach of them.
__global__ void __launch_bounds__(kThreads)
    vectors_kernel(float* x, const float* s, int64_t row_stride, int64_t s_stride, int across) {
    float4* row = reinterpret_cast<float4*>(x + blockIdx.x * row_stride);
    const float factor = s[blockIdx.x * s_stride];
    const int first = blockIdx.y * (kThreads * kEach) + threadIdx.x;
    float4 v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (first + k * kThreads < across) {
            v[k] = row[first + k * kThreads];
        }
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (first + k * kThreads < across) {
            row[first + k * kThreads] =
                make_float4(v[k].x * factor, v[k].y * factor, v[k].z * factor, v[k].w * factor);
        }
    }
}

__global__ void elements_kernel(Matrix x, const float* s, int64_t s_stride) {
    const int64_t column = blockIdx.y * kThreads + threadIdx.x;
    if (column < x.size(1)) {
        x[blockIdx.x][column] *= s[blockIdx.x * s_stride];
    }
}

void row_scale_(torch::Tensor x, torch::Tensor s) {
    TORCH_CHECK(x.is_cuda() && s.is_cuda(), "row_scale_: x and s must be on the device");
    TORCH_CHECK(x.scalar_type() == torch::kFloat, "row_scale_: x must be float32");
    TORCH_CHECK(s.scalar_type() == torch::kFloat, "row_scale_: s must be float32");
    TORCH_CHECK(x.dim() == 2 && s.dim() == 1, "row_scale_: x must have two dimensions and s one");
    TORCH_CHECK(s.size(0) == x.size(0), "row_scale_: s must have one element for each row of x");
    const c10::cuda::CUDAGuard guard(x.device());
    const int64_t rows = x.size(0), cols = x.size(1);
    const bool vectors = x.stride(1) == 1 && x.stride(0) % 4 == 0 && cols % 4 == 0 &&
                         reinterpret_cast<std::uintptr_t>(x.data_ptr()) % 16 == 0;
    auto stream = c10::cuda::getCurrentCUDAStream();
    if (vectors) {
        const int across = cols / 4, covered = kThreads * kEach;
        vectors_kernel<<<dim3(rows, (across + covered - 1) / covered), kThreads, 0, stream>>>(
            x.data_ptr<float>(), s.data_ptr<float>(), x.stride(0), s.stride(0), across);
    } else {
        elements_kernel<<<dim3(rows, (cols + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
            x.packed_accessor64<float, 2, torch::RestrictPtrTraits>(), s.data_ptr<float>(), s.stride(0));
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}
