// Reason: a block takes one row of x and walks through y; the result is made with strides of its own and then copied.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <ATen/cuda/CUDAContext.h>

template <typename Accessor>
__global__ void block_a_row(const Accessor x, const Accessor y, Accessor out) {
    const auto point = x[blockIdx.x];
    for (int j = threadIdx.x; j < y.size(0); j += blockDim.x) {
        const auto other = y[j];
        auto sum = (point[0] - other[0]) * (point[0] - other[0]);
        for (int k = 1; k < x.size(1); ++k) {
            const auto difference = point[k] - other[k];
            sum += difference * difference;
        }
        out[j][blockIdx.x] = sum;
    }
}

torch::Tensor pairwise_sqdist(torch::Tensor x, torch::Tensor y) {
    TORCH_CHECK(x.is_cuda() && y.is_cuda(), "x, y: not on the device");
    TORCH_CHECK(x.dim() == 2 && y.dim() == 2, "x, y: not two-dimensional");
    TORCH_CHECK(x.sizes()[1] == y.sizes()[1], "x, y: not of equal width");
    TORCH_CHECK(x.scalar_type() == y.scalar_type(), "x, y: not of one dtype");
    auto flipped = torch::empty({y.size(0), x.size(0)}, y.options());
    const auto stream = at::cuda::getCurrentCUDAStream();
    switch (x.scalar_type()) {
        case at::kFloat:
            block_a_row<<<x.size(0), 64, 0, stream>>>(x.packed_accessor32<float, 2>(), y.packed_accessor32<float, 2>(),
                                                      flipped.packed_accessor32<float, 2>());
            break;
        case at::kDouble:
            block_a_row<<<x.size(0), 64, 0, stream>>>(x.packed_accessor32<double, 2>(),
                                                      y.packed_accessor32<double, 2>(),
                                                      flipped.packed_accessor32<double, 2>());
            break;
        default:
            TORCH_CHECK_TYPE(false, "x: neither float32 nor float64");
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return flipped.transpose(0, 1);
}
