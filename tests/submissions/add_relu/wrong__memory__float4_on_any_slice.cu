// Reason: 16-byte loads are used for any contiguous tensor, aligned or not.
// Also fails: close
// Fault: A88
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void add_relu_kernel(const float* a, const float* b, float* out, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 x = *reinterpret_cast<const float4*>(a + i);
        float4 y = *reinterpret_cast<const float4*>(b + i);
        *reinterpret_cast<float4*>(out + i) = make_float4(fmaxf(x.x + y.x, 0.f), fmaxf(x.y + y.y, 0.f),
                                                          fmaxf(x.z + y.z, 0.f), fmaxf(x.w + y.w, 0.f));
    } else {
        for (; i < n; ++i) out[i] = fmaxf(a[i] + b[i], 0.f);
    }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor");
    TORCH_CHECK(b.is_cuda(), "b must be a CUDA tensor");
    TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
    a = a.contiguous();
    b = b.contiguous();
    auto out = torch::empty_like(a);
    int n = a.numel();
    add_relu_kernel<<<(n + 1023) / 1024, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
