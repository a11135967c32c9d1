// Reason: the scales are computed by one kernel and used by the next, which reads x again from memory.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 256;

template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* x, float* scale, int64_t cols) {
    __shared__ float largest[kThreads];
    const scalar_t* row = x + blockIdx.x * cols;
    float best = 0.0f;
    for (int64_t k = threadIdx.x; k < cols; k += kThreads) {
        best = fmaxf(best, fabsf(static_cast<float>(row[k])));
    }
    largest[threadIdx.x] = best;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = largest[0] / 127.0f;
    }
}

template <typename scalar_t>
__global__ void round_kernel(const scalar_t* x, int8_t* q, const float* scale, int64_t cols) {
    const scalar_t* row = x + blockIdx.x * cols;
    float s = scale[blockIdx.x];
    for (int64_t k = threadIdx.x; k < cols; k += kThreads) {
        q[blockIdx.x * cols + k] = s > 0.0f ? static_cast<int8_t>(rintf(static_cast<float>(row[k]) / s)) : 0;
    }
}

std::tuple<torch::Tensor, torch::Tensor> quantize_rowwise(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda(), "quantize_rowwise: x must be on the device");
    TORCH_CHECK(x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kHalf,
                "quantize_rowwise: x must be float32 or float16");
    TORCH_CHECK(x.dim() == 2, "quantize_rowwise: x must have two dimensions");
    x = x.contiguous();
    int64_t rows = x.size(0), cols = x.size(1);
    auto q = torch::empty({rows, cols}, x.options().dtype(torch::kChar));
    auto scale = torch::empty({rows}, x.options().dtype(torch::kFloat));
    auto stream = c10::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "quantize_rowwise", [&] {
        scale_kernel<scalar_t><<<rows, kThreads, 0, stream>>>(x.data_ptr<scalar_t>(), scale.data_ptr<float>(),
                                                              cols);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        round_kernel<scalar_t><<<rows, kThreads, 0, stream>>>(x.data_ptr<scalar_t>(), q.data_ptr<int8_t>(),
                                                              scale.data_ptr<float>(), cols);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return {q, scale};
}
