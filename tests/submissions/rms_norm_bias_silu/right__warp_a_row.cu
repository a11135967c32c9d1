// Reason: a warp for each row and no shared memory: eight rows a block, __shfl_xor_sync gives every lane the sum.
#include <torch/extension.h>
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <typename scalar_t, typename acc_t>
__global__ void norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                            const scalar_t* __restrict__ bias, scalar_t* __restrict__ out, acc_t eps, int rows,
                            int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;  // a whole warp returns: its lanes have one row
    }
    x += int64_t(row) * cols;
    out += int64_t(row) * cols;
    acc_t sum = 0;
    for (int j = threadIdx.x; j < cols; j += 32) {
        const acc_t v = static_cast<acc_t>(x[j]);
        sum += v * v;
    }
    for (int mask = 16; mask > 0; mask >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    }
    const acc_t factor = acc_t(1) / sqrt(sum / cols + eps);
    for (int j = threadIdx.x; j < cols; j += 32) {
        const acc_t z = static_cast<acc_t>(x[j]) * (factor * static_cast<acc_t>(weight[j])) + static_cast<acc_t>(bias[j]);
        out[j] = static_cast<scalar_t>(z * (acc_t(1) / (acc_t(1) + exp(-z))));
    }
}

torch::Tensor rms_norm_bias_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    for (const auto& t : {x, weight, bias}) {
        TORCH_CHECK(t.is_cuda(), "every tensor must be a CUDA tensor");
        TORCH_CHECK(t.scalar_type() == x.scalar_type(), "every tensor must have the dtype of x");
    }
    TORCH_CHECK(x.dim() == 2, "x must have two dimensions");
    TORCH_CHECK(weight.dim() == 1 && weight.numel() == x.size(1), "weight must have one element for each column");
    TORCH_CHECK(bias.dim() == 1 && bias.numel() == x.size(1), "bias must have one element for each column");
    const auto dense = x.contiguous(), w = weight.contiguous(), b = bias.contiguous();
    auto out = torch::empty_like(dense);
    const int rows = x.size(0), cols = x.size(1);
    const dim3 block(32, 8);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "rms_norm_bias_silu", [&] {
        using acc_t = at::acc_type<scalar_t, true>;
        norm_kernel<scalar_t, acc_t><<<(rows + 7) / 8, block, 0, at::cuda::getCurrentCUDAStream()>>>(
            dense.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
            static_cast<acc_t>(eps), rows, cols);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
