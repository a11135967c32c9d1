// Reason: a warp adds the coordinates of one pair with shuffles; strides as plain numbers.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>

template <typename T>
__global__ void warp_a_pair(const T* x, int64_t x0, int64_t x1, const T* y, int64_t y0, int64_t y1, T* out, int64_t m,
                            int64_t d, int64_t pairs) {
    const int64_t pair = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    if (pair >= pairs) return;
    const T* a = x + pair / m * x0;
    const T* b = y + pair % m * y0;
    T sum = T(0);
    for (int64_t k = threadIdx.x; k < d; k += 32) {
        const T difference = a[k * x1] - b[k * y1];
        sum += difference * difference;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (threadIdx.x == 0) out[pair] = sum;
}

torch::Tensor pairwise_sqdist(const torch::Tensor& x, const torch::Tensor& y) {
    TORCH_CHECK(x.is_cuda() && y.is_cuda(), "pairwise_sqdist: expected x and y on the GPU");
    TORCH_CHECK(x.dim() == 2 && y.dim() == 2, "pairwise_sqdist: expected matrices x and y");
    TORCH_CHECK(x.size(1) == y.size(1), "pairwise_sqdist: x and y differ in their coordinates");
    TORCH_CHECK(x.dtype() == y.dtype(), "pairwise_sqdist: x and y differ in dtype");
    auto out = torch::empty({x.size(0), y.size(0)}, x.options());
    const int64_t pairs = out.numel();
    const dim3 block(32, 4);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pairwise_sqdist", [&] {
        warp_a_pair<scalar_t><<<(pairs + 3) / 4, block, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), x.stride(0), x.stride(1), y.data_ptr<scalar_t>(), y.stride(0), y.stride(1),
            out.data_ptr<scalar_t>(), y.size(0), x.size(1), pairs);
    });
    return out;
}
