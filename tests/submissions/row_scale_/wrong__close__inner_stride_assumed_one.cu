// Reason: rows are found by their stride, columns are assumed to lie side by side.
// Also fails: data_race, inputs
// Fault: A15
#include <torch/extension.h>
#include <ATen/core/TensorAccessor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

using Matrix = torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>;
using Vector = torch::PackedTensorAccessor32<float, 1, torch::RestrictPtrTraits>;

__global__ void row_scale_kernel(float* x, int64_t x0, const float* s, int64_t s0, int rows, int columns) {
    int row = blockIdx.x;
    int column = blockIdx.y * blockDim.x + threadIdx.x;
    if (row < rows && column < columns) {
        x[row * x0 + column] *= s[row * s0];
    }
}

void row_scale_(torch::Tensor x, torch::Tensor s) {
    TORCH_CHECK(x.is_cuda() && s.is_cuda(), "row_scale_: x and s must be on the device");
    TORCH_CHECK(x.scalar_type() == torch::kFloat, "row_scale_: x must be float32");
    TORCH_CHECK(s.scalar_type() == torch::kFloat, "row_scale_: s must be float32");
    TORCH_CHECK(x.dim() == 2 && s.dim() == 1, "row_scale_: x must have two dimensions and s one");
    TORCH_CHECK(s.size(0) == x.size(0), "row_scale_: s must have one element for each row of x");
    int threads = 256;
    dim3 blocks(x.size(0), (x.size(1) + threads - 1) / threads);
    auto stream = c10::cuda::getCurrentCUDAStream();
    row_scale_kernel<<<blocks, threads, 0, stream>>>(
        x.data_ptr<float>(), x.stride(0), s.data_ptr<float>(), s.stride(0), x.size(0), x.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}
