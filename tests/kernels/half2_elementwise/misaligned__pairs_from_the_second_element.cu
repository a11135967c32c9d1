// Kernel: a * b + a in half precision, two at a time, an odd last element alone.
// Fault: a pair may not begin at an odd element.
// On a GPU: an error or compute-sanitizer memcheck
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_fp16.h>

__global__ void by_two(const __half* a, const __half* b, __half* out, int n) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 2) {
        const __half2 x = *reinterpret_cast<const __half2*>(a + (n % 2 ? 2 * p + 1 : 2 * p)), y = reinterpret_cast<const __half2*>(b)[p];
        reinterpret_cast<__half2*>(out)[p] = __hfma2(x, y, x);
    } else if (p == n / 2 && n % 2) {
        out[n - 1] = __hfma(a[n - 1], b[n - 1], a[n - 1]);
    }
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
    const int n = static_cast<int>(a.numel());
    auto out = torch::empty_like(a);
    by_two<<<(n / 2 + 1 + 63) / 64, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const __half*>(a.data_ptr<at::Half>()), reinterpret_cast<const __half*>(b.data_ptr<at::Half>()),
        reinterpret_cast<__half*>(out.data_ptr<at::Half>()), n);
    return out;
}
