// Reason: the loop bound of a thread past the end is read before the thread is stopped.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

__global__ void sum_kernel(const float* values, const int64_t* offsets, float* out, int64_t segments, int64_t d) {
    int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    int64_t segment = k / d, column = k % d;
    int64_t row = offsets[segment], end = offsets[segment + 1];
    if (k < segments * d) {
        float sum = 0.0f;
        for (; row < end; ++row) {
            sum += values[row * d + column];
        }
        out[k] = sum;
    }
}

torch::Tensor segment_sum(torch::Tensor values, torch::Tensor offsets) {
    TORCH_CHECK(values.is_cuda() && offsets.is_cuda(), "segment_sum: values and offsets must be on the device");
    TORCH_CHECK(values.scalar_type() == torch::kFloat, "segment_sum: values must be float32");
    TORCH_CHECK(offsets.scalar_type() == torch::kLong, "segment_sum: offsets must be int64");
    TORCH_CHECK(values.dim() == 2 && offsets.dim() == 1, "segment_sum: values must be 2-D and offsets 1-D");
    values = values.contiguous();
    offsets = offsets.contiguous();
    int64_t segments = offsets.numel() - 1, d = values.size(1);
    auto out = torch::empty({segments, d}, values.options());
    auto stream = c10::cuda::getCurrentCUDAStream();
    int64_t blocks = (segments * d + 255) / 256;
    sum_kernel<<<blocks, 256, 0, stream>>>(values.data_ptr<float>(), offsets.data_ptr<int64_t>(),
                                           out.data_ptr<float>(), segments, d);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
