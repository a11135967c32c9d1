// Kernel: inclusive sums within each block of 256; shuffles in a warp, then the sums of the warps.
// Fault: warp 0 takes the total of warp -1.
// On a GPU: compute-sanitizer memcheck or wrong values or may pass
// Also: out_of_bounds
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void scan(const int* in, int* out, int n) {
    __shared__ int totals[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int i = blockIdx.x * 256 + threadIdx.x;
    int sum = i < n ? in[i] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += before;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int all = lane < 8 ? totals[lane] : 0;
        for (int distance = 1; distance < 8; distance *= 2) {
            const int before = __shfl_up_sync(0xffffffffu, all, distance);
            if (lane >= distance) all += before;
        }
        if (lane < 8) totals[lane] = all;
    }
    __syncthreads();  // totals are summed
    sum += totals[warp - 1] * (warp > 0);
    if (i < n) out[i] = sum;
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::empty_like(x);
    scan<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>(), out.data_ptr<int>(), n);
    return out;
}
