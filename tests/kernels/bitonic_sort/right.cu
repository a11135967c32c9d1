// Kernel: each row sorted in shared memory by a bitonic network of 256, filled up with the largest number.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void sort_rows(const int* in, int* out, int columns) {
    __shared__ int keys[256];
    const int tid = threadIdx.x;
    keys[tid] = tid < columns ? in[blockIdx.x * columns + tid] : 0x7fffffff;
    __syncthreads();
    for (int size = 2; size <= 256; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int partner = tid ^ stride;
            if (partner > tid) {
                const bool ascending = (tid & size) == 0;
                const int mine = keys[tid], other = keys[partner];
                if ((mine > other) == ascending) {
                    keys[tid] = other;
                    keys[partner] = mine;
                }
            }
            __syncthreads();
        }
    }
    if (tid < columns) out[blockIdx.x * columns + tid] = keys[tid];
}

torch::Tensor run(torch::Tensor x) {
    auto out = torch::empty_like(x);
    sort_rows<<<x.size(0), 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>(), out.data_ptr<int>(),
                                                                       static_cast<int>(x.size(1)));
    return out;
}
