// Reason: each thread clears the element of the next one, which may have written it already.
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int TILE = 128;

__global__ void staged_kernel(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * TILE + threadIdx.x;
  if (i >= n) return;
  if (i + 1 < n) out[i + 1] = 0.f;
  const float sum = a[i] + b[i];
  out[i] = sum > 0.f ? sum : 0.f;
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor");
  TORCH_CHECK(b.is_cuda(), "b must be a CUDA tensor");
  TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
  torch::Tensor x = a.contiguous();
  torch::Tensor y = b.contiguous();
  torch::Tensor out = torch::empty_like(x);
  int n = x.numel();
  staged_kernel<<<(n + TILE - 1) / TILE, TILE, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
