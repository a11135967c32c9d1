// Kernel: a * x + y by a grid that strides over the input.
// Fault: every block strides as if it were alone, and starts as if it were not.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void axpy(float a, const float* x, const float* y, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x + blockDim.x) out[i] = a * x[i] + y[i];
}

torch::Tensor run(torch::Tensor x, torch::Tensor y) {
    auto out = torch::zeros_like(x);
    axpy<<<3, 96, 0, c10::cuda::getCurrentCUDAStream()>>>(1.5f, x.data_ptr<float>(), y.data_ptr<float>(),
                                                         out.data_ptr<float>(), static_cast<int>(x.numel()));
    return out;
}
