// Reason: thread 0 moves a shared column on while others still test it, so a block may wait for ever or lose a column.
// Fault: A64
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 256;

__global__ void sum_kernel(const float* values, const int64_t* offsets, float* out, int64_t d) {
    __shared__ float sums[kThreads];
    __shared__ int64_t column;
    int64_t begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
    if (threadIdx.x == 0) {
        column = 0;
    }
    __syncthreads();
    while (column < d) {
        float mine = 0.0f;
        for (int64_t row = begin + threadIdx.x; row < end; row += kThreads) {
            mine += values[row * d + column];
        }
        sums[threadIdx.x] = mine;
        __syncthreads();
        for (int half = kThreads / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                sums[threadIdx.x] += sums[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            out[blockIdx.x * d + column] = sums[0];
            ++column;
        }
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
    sum_kernel<<<segments, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        values.data_ptr<float>(), offsets.data_ptr<int64_t>(), out.data_ptr<float>(), d);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
