// Kernel: twice the input, four floats at a time where the addresses allow it, the rest one by one.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cstdint>

__global__ void by_four(const float* in, float* out, int n) {
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < n / 4) {
        const float4 v = reinterpret_cast<const float4*>(in)[q];
        reinterpret_cast<float4*>(out)[q] = make_float4(2.f * v.x, 2.f * v.y, 2.f * v.z, 2.f * v.w);
    }
    const int rest = n / 4 * 4 + q;
    if (q < n % 4) out[rest] = 2.f * in[rest];
}

__global__ void one_by_one(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.f * in[i];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::zeros_like(x);
    const bool aligned = reinterpret_cast<std::uintptr_t>(x.data_ptr<float>()) % 16 == 0;
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    if (aligned) {
        by_four<<<(n / 4 + 127) / 128, 128, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    } else {
        one_by_one<<<(n + 127) / 128, 128, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    }
    return out;
}
