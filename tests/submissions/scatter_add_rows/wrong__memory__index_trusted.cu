// Reason: an index is used as it is: rows outside are written somewhere else.
// Also fails: close
// Fault: A115
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

__global__ void add_kernel(const float* src, const int64_t* index, float* out, int64_t n, int64_t d, int64_t rows) {
    int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < n * d) {
        int64_t row = index[k / d];
        atomicAdd(&out[row * d + k % d], src[k]);
    }
}

torch::Tensor scatter_add_rows(torch::Tensor src, torch::Tensor index, int64_t rows) {
    TORCH_CHECK(src.is_cuda() && index.is_cuda(), "scatter_add_rows: src and index must be on the device");
    TORCH_CHECK(src.scalar_type() == torch::kFloat, "scatter_add_rows: src must be float32");
    TORCH_CHECK(index.scalar_type() == torch::kLong, "scatter_add_rows: index must be int64");
    TORCH_CHECK(src.dim() == 2 && index.dim() == 1, "scatter_add_rows: src must be 2-D and index 1-D");
    TORCH_CHECK(src.size(0) == index.size(0), "scatter_add_rows: src and index must have as many rows");
    TORCH_CHECK(rows >= 0, "scatter_add_rows: rows must not be negative");
    src = src.contiguous();
    index = index.contiguous();
    int64_t n = src.size(0), d = src.size(1);
    auto out = torch::zeros({rows, d}, src.options());
    if (n == 0) {
        return out;
    }
    auto stream = c10::cuda::getCurrentCUDAStream();
    add_kernel<<<(n * d + 255) / 256, 256, 0, stream>>>(src.data_ptr<float>(), index.data_ptr<int64_t>(),
                                                        out.data_ptr<float>(), n, d, rows);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
