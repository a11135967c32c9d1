// Kernel: a * x + y by a grid that strides over the input.
// Fault: the kernel goes to the default stream, whatever stream the caller is in.
// On a GPU: wrong values
// Also: stream_race, uninitialised_read, use_after_free
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void axpy(float a, const float* x, const float* y, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = a * x[i] + y[i];
}

torch::Tensor run(torch::Tensor given, torch::Tensor y) {
    auto x = given + 0.f;
    auto out = torch::empty_like(x);
    axpy<<<3, 96>>>(1.5f, x.data_ptr<float>(), y.data_ptr<float>(),
                                                         out.data_ptr<float>(), static_cast<int>(x.numel()));
    return out;
}
