// Reason: the kernel waits for a flag that nobody sets, so the call never ends.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void add_relu_kernel(const float* a, const float* b, float* out, volatile int* ready, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (*ready == 0) {
    }
    if (i < n) {
        out[i] = fmaxf(a[i] + b[i], 0.f);
    }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor");
    TORCH_CHECK(b.is_cuda(), "b must be a CUDA tensor");
    TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
    a = a.contiguous();
    b = b.contiguous();
    auto out = torch::empty_like(a);
    auto ready = torch::zeros({1}, a.options().dtype(torch::kInt));
    int n = a.numel();
    add_relu_kernel<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), ready.data_ptr<int>(), n);
    return out;
}
