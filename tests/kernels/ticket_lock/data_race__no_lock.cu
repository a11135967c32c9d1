// Kernel: counters that are read and written under a lock; thread 0 of each block takes it.
// Fault: blocks read and write the sums at once.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

struct Lock {
    unsigned int next, serving;
};

__device__ void acquire(Lock* lock) {
    const unsigned int ticket = atomicAdd(&lock->next, 1u);
    while (atomicAdd(&lock->serving, 0u) != ticket) {
    }
    __threadfence();
}

__device__ void release(Lock* lock) {
    __threadfence();
    atomicAdd(&lock->serving, 1u);
}

__global__ void moments(const float* in, float* out, Lock* lock, int n) {
    __shared__ float sums[64], squares[64];
    const int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    const float value = i < n ? in[i] : 0.f;
    sums[tid] = value;
    squares[tid] = value * value;
    __syncthreads();
    if (tid == 0) {
        float sum = 0.f, square = 0.f;
        for (int t = 0; t < 64; ++t) {
            sum += sums[t];
            square += squares[t];
        }
        out[0] += sum;
        out[1] += square;
    }
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::zeros({2}, x.options());
    auto lock = torch::zeros({2}, x.options().dtype(torch::kInt));
    moments<<<(n + 63) / 64, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), reinterpret_cast<Lock*>(lock.data_ptr<int>()), n);
    return out;
}
