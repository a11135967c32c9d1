// Reason: one flat index over all elements, divided into row and column; a grid-stride loop; 64-bit accessors.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>

template <typename X, typename S>
__global__ void scale(X x, S s) {
    const int64_t columns = x.size(1);
    const int64_t n = x.size(0) * columns;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        const int64_t row = i / columns;
        x[row][i - row * columns] *= s[row];
    }
}

void row_scale_(torch::Tensor x, torch::Tensor s) {
    for (const auto& t : {x, s}) {
        TORCH_CHECK(t.is_cuda(), "row_scale_: x and s live on the device");
        TORCH_CHECK_TYPE(t.is_floating_point() && t.element_size() == 4, "row_scale_: x and s are float32");
    }
    TORCH_CHECK_VALUE(x.dim() == 2, "x is two-dimensional");
    TORCH_CHECK_VALUE(s.sizes() == x.sizes().slice(0, 1), "s has one element a row of x");
    const int64_t wanted = (x.numel() + 127) / 128;
    const int blocks = static_cast<int>(std::min<int64_t>(wanted, 480));
    scale<<<blocks, 128, 0, at::cuda::getCurrentCUDAStream(x.get_device())>>>(
        x.packed_accessor64<float, 2>(), s.packed_accessor64<float, 1>());
    AT_CUDA_CHECK(cudaGetLastError());
}
