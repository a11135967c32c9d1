// Kernel: exclusive sums within each span of 256; up and down a tree, padded against bank conflicts.
// Fault: the indices are padded, the array is not.
// On a GPU: compute-sanitizer memcheck
// Also: out_of_bounds
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__host__ __device__ constexpr int padded(int i) { return i + i / 32; }

__global__ void scan(const int* in, int* out, int n) {
    __shared__ int tree[256];
    const int tid = threadIdx.x;
    const int first = blockIdx.x * 256;
    for (int j = tid; j < 256; j += 128) tree[padded(j)] = first + j < n ? in[first + j] : 0;
    int step = 1;
    for (int nodes = 128; nodes > 0; nodes /= 2) {
        __syncthreads();
        if (tid < nodes) {
            const int left = padded(step * (2 * tid + 1) - 1), right = padded(step * (2 * tid + 2) - 1);
            tree[right] += tree[left];
        }
        step *= 2;
    }
    if (tid == 0) tree[padded(255)] = 0;
    for (int nodes = 1; nodes < 256; nodes *= 2) {
        step /= 2;
        __syncthreads();  // on the way down
        if (tid < nodes) {
            const int left = padded(step * (2 * tid + 1) - 1), right = padded(step * (2 * tid + 2) - 1);
            const int before = tree[left];
            tree[left] = tree[right];
            tree[right] += before;
        }
    }
    __syncthreads();  // all leaves are final
    for (int j = tid; j < 256; j += 128) {
        if (first + j < n) out[first + j] = tree[padded(j)];
    }
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::empty_like(x);
    scan<<<(n + 255) / 256, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>(), out.data_ptr<int>(), n);
    return out;
}
