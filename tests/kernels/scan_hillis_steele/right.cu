// Kernel: inclusive sums within each block of 128; two buffers that change places.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void scan(const int* in, int* out, int n) {
    __shared__ int buffer[2][128];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 128 + tid;
    int from = 0;
    buffer[from][tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < 128; distance *= 2) {
        int value = buffer[from][tid];
        if (tid >= distance) value += buffer[from][tid - distance];
        buffer[1 - from][tid] = value;
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[from][tid];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::empty_like(x);
    scan<<<(n + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>(), out.data_ptr<int>(), n);
    return out;
}
