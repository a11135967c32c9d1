// Reason: two-dimensional blocks; a warp's sums go through shared memory and end in one atomicAdd for each block.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/Atomic.cuh>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kX = 32, kY = 4;

template <typename T>
__global__ void scale_rows(const T* x, const T* s, T* y, long rows, long cols) {
    const long col = blockIdx.y * kX + threadIdx.x;
    for (long row = blockIdx.x * kY + threadIdx.y; row < rows; row += gridDim.x * kY) {
        for (long c = col; c < cols; c += gridDim.y * kX) y[row * cols + c] = s[row] * x[row * cols + c];
    }
}

template <typename T>
__global__ void sum_rows(const T* g, const T* x, T* out, long rows, long cols) {
    __shared__ T part[kY][kX + 1];
    const long row = blockIdx.x * kY + threadIdx.y;
    T sum = 0;
    if (row < rows) {
        for (long c = blockIdx.y * kX + threadIdx.x; c < cols; c += gridDim.y * kX) {
            sum += g[row * cols + c] * x[row * cols + c];
        }
    }
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && row < rows) {
        for (int lane = 1; lane < kX; ++lane) sum += part[threadIdx.y][lane];
        gpuAtomicAdd(&out[row], sum);
    }
}

static dim3 grid(const torch::Tensor& x) {
    const int64_t across = std::min<int64_t>((x.size(1) + kX - 1) / kX, 8);
    return dim3((x.size(0) + kY - 1) / kY, std::max<int64_t>(across, 1));
}

torch::Tensor row_scale(torch::Tensor x, torch::Tensor s) {
    for (const auto& one : {x, s}) TORCH_CHECK(one.is_cuda(), "row_scale: both arguments must be on the device");
    TORCH_CHECK(x.dim() == 2 && s.dim() == 1 && s.numel() == x.size(0), "row_scale: shapes do not fit");
    TORCH_CHECK(x.scalar_type() == s.scalar_type(), "row_scale: dtypes differ");
    x = x.contiguous();
    s = s.contiguous();
    auto y = torch::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_scale", [&] {
        scale_rows<scalar_t><<<grid(x), dim3(kX, kY), 0, c10::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), s.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(0), x.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return y;
}

torch::Tensor row_sums_of_product(torch::Tensor g, torch::Tensor x) {
    g = g.contiguous();
    x = x.contiguous();
    auto out = torch::zeros({x.size(0)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_sums_of_product", [&] {
        sum_rows<scalar_t><<<grid(x), dim3(kX, kY), 0, c10::cuda::getCurrentCUDAStream()>>>(
            g.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.size(0), x.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return out;
}
