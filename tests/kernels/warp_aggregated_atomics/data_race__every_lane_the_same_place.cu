// Kernel: the positive elements packed together; the lanes that are active share one atomic.
// Fault: the base is right, but the lanes do not count those before them.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__device__ int next_place(int* count) {
    const unsigned active = __activemask();
    const int lane = threadIdx.x % 32, leader = __ffs(active) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + (lane == leader ? 0 : __popc(active) - 1);
}

__global__ void compact(const float* in, float* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.f) out[next_place(count)] = in[i];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::zeros_like(x);
    auto count = torch::zeros({1}, x.options().dtype(torch::kInt));
    compact<<<(n + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                           count.data_ptr<int>(), n);
    return out.slice(0, 0, count.item<int>());
}
