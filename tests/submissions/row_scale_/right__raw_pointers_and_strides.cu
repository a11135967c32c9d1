// Reason: no accessor: pointers, sizes and strides as plain arguments; two-dimensional blocks, 64 bits.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void scale_rows(float* x, int64_t x0, int64_t x1, const float* s, int64_t s0, int64_t rows, int64_t cols) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
        if (i < rows) {
            x[i * x0 + j * x1] = x[i * x0 + j * x1] * s[i * s0];
        }
    }
}

static void require(const torch::Tensor& t, const char* name, int64_t dims) {
    TORCH_CHECK(t.device().is_cuda(), name, " must be a CUDA tensor");
    TORCH_CHECK(t.dtype() == torch::kFloat32, name, " must be float32 but is ", t.dtype());
    TORCH_CHECK(t.dim() == dims, name, " must have ", dims, " dimensions but has ", t.dim());
}

void row_scale_(const torch::Tensor& x, const torch::Tensor& s) {
    require(x, "x", 2);
    require(s, "s", 1);
    TORCH_CHECK(x.sizes()[0] == s.numel(), "s must have as many elements as x has rows");
    const dim3 block(32, 8);
    const unsigned blocks = (x.size(0) + block.y - 1) / block.y;
    scale_rows<<<blocks, block, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), x.stride(0), x.stride(1), s.data_ptr<float>(), s.stride(0), x.size(0), x.size(1));
}
