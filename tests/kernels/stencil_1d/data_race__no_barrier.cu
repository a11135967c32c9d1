// Kernel: sums of seven neighbours; a block stages its span and three elements on either side.
// Fault: neighbours from another warp are read before they are staged.
// On a GPU: compute-sanitizer racecheck or wrong values
// Also: uninitialised_read
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int RADIUS = 3, SPAN = 128;

__global__ void neighbours(const float* in, float* out, int n) {
    __shared__ float staged[SPAN + 2 * RADIUS];
    const int i = blockIdx.x * SPAN + threadIdx.x, s = threadIdx.x + RADIUS;
    staged[s] = i < n ? in[i] : 0.f;
    if (threadIdx.x < RADIUS) {
        staged[s - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0.f;
        staged[s + SPAN] = i + SPAN < n ? in[i + SPAN] : 0.f;
    }
    float sum = 0.f;
    for (int d = -RADIUS; d <= RADIUS; ++d) sum += staged[s + d];
    if (i < n) out[i] = sum;
}

torch::Tensor run(torch::Tensor x) {
    const int n = static_cast<int>(x.numel());
    auto out = torch::empty_like(x);
    neighbours<<<(n + SPAN - 1) / SPAN, SPAN, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                                                     out.data_ptr<float>(), n);
    return out;
}
