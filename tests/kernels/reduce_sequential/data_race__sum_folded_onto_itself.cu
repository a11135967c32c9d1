// Kernel: each element as a share of its block's sum; halves folded onto each other.
// Fault: reader and writer of one slot are different threads: `<=` overlaps the halves.
// On a GPU: compute-sanitizer racecheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void shares(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * 256 + tid;
    const float mine = i < n ? in[i] : 0.f;
    part[tid] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (tid <= half && tid + half < 256) {
            part[tid] += part[tid + half];
        }
        __syncthreads();
    }
    if (i < n) out[i] = mine / part[0];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::empty_like(x);
    shares<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
