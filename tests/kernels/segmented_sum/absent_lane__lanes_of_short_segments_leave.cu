// Kernel: sums of the segments between offsets; a warp takes a segment.
// Fault: lanes without an element return before the shuffle.
// On a GPU: may pass
// Also: uninitialised_read
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void segments(const float* in, const int* offsets, float* out, int count) {
    const int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (segment >= count) return;
    if (offsets[segment] + lane >= offsets[segment + 1] && lane > 0) return;
    float sum = 0.f;
    for (int i = offsets[segment] + lane; i < offsets[segment + 1]; i += 32) sum += in[i];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    if (lane == 0) out[segment] = sum;
}

torch::Tensor run(torch::Tensor x, torch::Tensor offsets) {
    const int count = static_cast<int>(offsets.numel()) - 1;
    auto out = torch::empty({count}, x.options());
    segments<<<(count + 3) / 4, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), offsets.data_ptr<int>(),
                                                                            out.data_ptr<float>(), count);
    return out;
}
