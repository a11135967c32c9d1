// Kernel: largest float by compare and swap on its bits.
// Fault: all inputs are negative.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__device__ void raise_to(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int seen = *reinterpret_cast<volatile int*>(bits);
    while (value > __int_as_float(seen)) {
        const int before = atomicCAS(bits, seen, __float_as_int(value));
        if (before == seen) break;
        seen = before;
    }
}

__global__ void largest(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : -INFINITY;
    for (int half = 16; half > 0; half /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, half));
    if (threadIdx.x % 32 == 0) raise_to(out, value);
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::zeros({1}, x.options());
    largest<<<(n + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
