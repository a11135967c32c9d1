// Reason: without values the atomics are launched with no blocks at all.
// Also fails: close
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

// Returns the segment that holds a row: the last one that does not begin behind it.
__device__ int64_t segment_of(const int64_t* offsets, int64_t segments, int64_t row) {
    int64_t low = 0, high = segments;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (offsets[middle] <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

__global__ void add_kernel(const float* values, const int64_t* offsets, float* out, int64_t segments, int64_t n,
                           int64_t d) {
    int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < n * d) {
        int64_t segment = segment_of(offsets, segments, k / d);
        atomicAdd(&out[segment * d + k % d], values[k]);
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
    auto out = torch::zeros({segments, d}, values.options());
    int64_t n = values.size(0);
    auto stream = c10::cuda::getCurrentCUDAStream();
    add_kernel<<<(n * d + 255) / 256, 256, 0, stream>>>(values.data_ptr<float>(), offsets.data_ptr<int64_t>(),
                                                        out.data_ptr<float>(), segments, n, d);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
