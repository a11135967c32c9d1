// Reason: accessors follow the strides; the threads of a block take the columns in turn.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

using Values = torch::PackedTensorAccessor64<float, 2>;
using Offsets = torch::PackedTensorAccessor64<int64_t, 1>;

__global__ void sum_kernel(Values values, Offsets offsets, Values out) {
    int64_t segment = blockIdx.x;
    for (int64_t column = threadIdx.x; column < out.size(1); column += blockDim.x) {
        float sum = 0.0f;
        for (int64_t row = offsets[segment]; row < offsets[segment + 1]; ++row) {
            sum += values[row][column];
        }
        out[segment][column] = sum;
    }
}

torch::Tensor segment_sum(torch::Tensor values, torch::Tensor offsets) {
    TORCH_CHECK(values.is_cuda() && offsets.is_cuda(), "segment_sum: values and offsets must be on the device");
    TORCH_CHECK(values.scalar_type() == torch::kFloat, "segment_sum: values must be float32");
    TORCH_CHECK(offsets.scalar_type() == torch::kLong, "segment_sum: offsets must be int64");
    TORCH_CHECK(values.dim() == 2 && offsets.dim() == 1, "segment_sum: values must be 2-D and offsets 1-D");
    int64_t segments = offsets.size(0) - 1;
    auto out = torch::empty({segments, values.size(1)}, values.options());
    sum_kernel<<<segments, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(
        values.packed_accessor64<float, 2>(), offsets.packed_accessor64<int64_t, 1>(),
        out.packed_accessor64<float, 2>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
