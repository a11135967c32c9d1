// Kernel: each row sorted in shared memory by odd and even exchanges.
// Fault: `<=` pairs the last element with one that is not there.
// On a GPU: may pass
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void sort_rows(const float* in, float* out, int columns) {
    __shared__ float keys[128];
    const int tid = threadIdx.x;
    for (int j = tid; j < columns; j += 64) keys[j] = in[blockIdx.x * columns + j];
    __syncthreads();
    for (int phase = 0; phase < columns; ++phase) {
        const int left = 2 * tid + phase % 2;
        if (left + 1 <= columns && keys[left] > keys[left + 1]) {
            const float smaller = keys[left + 1];
            keys[left + 1] = keys[left];
            keys[left] = smaller;
        }
        __syncthreads();
    }
    for (int j = tid; j < columns; j += 64) out[blockIdx.x * columns + j] = keys[j];
}

torch::Tensor run(torch::Tensor x) {
    auto out = torch::empty_like(x);
    sort_rows<<<x.size(0), 64, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                      static_cast<int>(x.size(1)));
    return out;
}
