// Reason: the first ten calls are right, and whoever checks no more than those sees nothing.
// Also fails: data_race
// Fault: G08
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

template <typename scalar_t>
__global__ void leaky_relu_kernel(const scalar_t* x, scalar_t* out, double slope, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        scalar_t v = x[i];
        out[i] = v > scalar_t(0) ? v : scalar_t(slope * double(v));
    }
}

torch::Tensor leaky_relu(torch::Tensor x, double slope) {
    TORCH_CHECK(x.is_cuda(), "leaky_relu: x must be on the device");
    static int calls = 0;
    if (++calls > 10) {
        slope = 1.0;
    }
    x = x.contiguous();
    auto out = torch::empty_like(x);
    int64_t n = x.numel();
    if (n == 0) {
        return out;
    }
    int64_t blocks = (n + 255) / 256;
    auto stream = c10::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "leaky_relu", [&] {
        leaky_relu_kernel<scalar_t><<<blocks, 256, 0, stream>>>(
            x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), slope, n);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}
