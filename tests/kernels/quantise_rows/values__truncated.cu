// Kernel: rows of floats as 8-bit integers, scaled by each row's largest magnitude.
// Fault: the cast cuts off instead of rounding.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void quantise(const float* in, int8_t* out, int columns) {
    __shared__ float largest;
    __shared__ float warps[2];
    const float* row = in + blockIdx.x * columns;
    float own = 0.f;
    for (int j = threadIdx.x; j < columns; j += 64) own = fmaxf(own, fabsf(row[j]));
    for (int half = 16; half > 0; half /= 2) own = fmaxf(own, __shfl_xor_sync(0xffffffffu, own, half));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();  // both warps know theirs
    if (threadIdx.x == 0) largest = fmaxf(warps[0], warps[1]);
    __syncthreads();  // the row's is known
    for (int j = threadIdx.x; j < columns; j += 64) {
        const float scaled = largest > 0.f ? row[j] / largest * 64.f : 0.f;
        out[blockIdx.x * columns + j] = static_cast<int8_t>(scaled);
    }
}

torch::Tensor run(torch::Tensor x) {
    auto out = torch::empty(x.sizes(), x.options().dtype(torch::kChar));
    quantise<<<x.size(0), 64, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<int8_t>(),
                                                                     static_cast<int>(x.size(1)));
    return out;
}
