// Kernel: running sums of the whole input in one pass; each tile looks back at what earlier tiles have published.
// Fault: within a tile a sum is changed while a neighbour reads it.
// On a GPU: compute-sanitizer racecheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

// A tile's state in one word, so that flag and value are seen together: 1 its own sum, 2 the sum of all up to it.
__device__ unsigned long long packed(unsigned flag, int value) {
    return static_cast<unsigned long long>(flag) << 32 | static_cast<unsigned>(value);
}

__global__ void scan(const int* in, int* out, unsigned long long* states, int* next_tile, int n) {
    __shared__ int sums[128];
    __shared__ int tile, before;
    const int tid = threadIdx.x;
    if (tid == 0) tile = atomicAdd(next_tile, 1);
    __syncthreads();
    const int i = tile * 128 + tid;
    sums[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < 128; distance *= 2) {
        const int value = tid >= distance ? sums[tid - distance] : 0;
        sums[tid] += value;
        __syncthreads();
    }
    if (tid == 0) {
        int sum = 0;
        atomicExch(&states[tile], packed(tile == 0 ? 2 : 1, sums[127]));
        for (int earlier = tile - 1; earlier >= 0;) {
            const unsigned long long state = atomicAdd(&states[earlier], 0ull);
            const unsigned flag = static_cast<unsigned>(state >> 32);
            if (flag == 0) continue;  // not yet
            sum += static_cast<int>(static_cast<unsigned>(state));
            if (flag == 2) break;
            --earlier;
        }
        if (tile > 0) atomicExch(&states[tile], packed(2, sum + sums[127]));
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = before + sums[tid];
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    const int tiles = (n + 127) / 128;
    auto out = torch::empty_like(x);
    auto states = torch::zeros({tiles}, x.options().dtype(torch::kLong));
    auto next_tile = torch::zeros({1}, x.options());
    scan<<<tiles, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<int>(), out.data_ptr<int>(), reinterpret_cast<unsigned long long*>(states.data_ptr<int64_t>()),
        next_tile.data_ptr<int>(), n);
    return out;
}
