// Reason: a kernel takes a tensor and asks it for its size.
#include <torch/extension.h>

__global__ void k(torch::Tensor x, float* p) { *p = x.size(0); }

void g(torch::Tensor x) { k<<<1, 1>>>(x, x.data_ptr<float>()); }
