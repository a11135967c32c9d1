// Reason: the last warp adds through volatile without __syncwarp, as was taught before Volta.
// Fault: A66
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 256;

__global__ void sum_kernel(const float* in, float* out, int64_t n) {
    __shared__ float sums[kThreads];
    float mine = 0.0f;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        mine += in[i];
    }
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int step = kThreads / 2; step > 32; step /= 2) {
        if (threadIdx.x < step) {
            sums[threadIdx.x] += sums[threadIdx.x + step];
        }
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        volatile float* last = sums;
        last[threadIdx.x] += last[threadIdx.x + 32];
        if (threadIdx.x == 31) {
            float total = 0.0f;
            for (int k = 0; k < 32; ++k) {
                total += last[k];
            }
            out[blockIdx.x] = total;
        }
    }
}

torch::Tensor two_pass_sum(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda(), "two_pass_sum: x must be on the device");
    TORCH_CHECK(x.scalar_type() == torch::kFloat, "two_pass_sum: x must be float32");
    const c10::cuda::CUDAGuard guard(x.device());
    x = x.contiguous();
    int64_t n = x.numel();
    int64_t blocks = std::min<int64_t>(std::max<int64_t>((n + kThreads - 1) / kThreads, 1), 1024);
    auto partial = torch::empty({blocks}, x.options());
    auto out = torch::empty({}, x.options());
    auto stream = c10::cuda::getCurrentCUDAStream();
    sum_kernel<<<blocks, kThreads, 0, stream>>>(x.data_ptr<float>(), partial.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    sum_kernel<<<1, kThreads, 0, stream>>>(partial.data_ptr<float>(), out.data_ptr<float>(), blocks);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
