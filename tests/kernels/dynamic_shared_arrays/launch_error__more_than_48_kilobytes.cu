// Kernel: mean and spread of each row; three arrays are cut from one dynamic shared memory.
// Fault: more than 48 KB of shared memory needs a function attribute.
// On a GPU: an error
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void spread(const float* in, double* out, int columns) {
    extern __shared__ __align__(8) unsigned char memory[];
    const int threads = blockDim.x, tid = threadIdx.x;
    double* sums = reinterpret_cast<double*>(memory);
    float* lowest = reinterpret_cast<float*>(sums + threads);
    float* highest = lowest + threads;
    const float* row = in + blockIdx.x * columns;
    double sum = 0.0;
    float low = INFINITY, high = -INFINITY;
    for (int j = tid; j < columns; j += threads) {
        sum += row[j];
        low = fminf(low, row[j]);
        high = fmaxf(high, row[j]);
    }
    sums[tid] = sum;
    lowest[tid] = low;
    highest[tid] = high;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (tid < half) {
            sums[tid] += sums[tid + half];
            lowest[tid] = fminf(lowest[tid], lowest[tid + half]);
            highest[tid] = fmaxf(highest[tid], highest[tid + half]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[2 * blockIdx.x] = sums[0] / columns;
        out[2 * blockIdx.x + 1] = highest[0] - lowest[0];
    }
}

torch::Tensor run(torch::Tensor x) {
    const int threads = 64;
    auto out = torch::empty({x.size(0), 2}, x.options().dtype(torch::kDouble));
    const int bytes = 64 * threads * (sizeof(double) + 2 * sizeof(float));
    spread<<<x.size(0), threads, bytes, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<double>(),
                                                                            static_cast<int>(x.size(1)));
    return out;
}
