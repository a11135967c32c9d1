#include <cuda_runtime.h>

#include <cstdint>

namespace {

__global__ void add_relu_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                                int64_t n) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < n; i += step) {
        out[i] = fmaxf(a[i] + b[i], 0.0f);
    }
}

}  // namespace

void launch_add_relu(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const int64_t wanted = (n + 255) / 256;
    add_relu_kernel<<<static_cast<int>(wanted < 1024 ? wanted : 1024), 256, 0, stream>>>(a, b, out, n);
}
