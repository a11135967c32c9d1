// Reason: one thread adds a, the next one adds b and clamps: both update the same element, without an atomic.
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;

__global__ void staged_kernel(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * TILE + threadIdx.x;
  if (i >= 2 * n) return;
  if (i % 2 == 0) {
    out[i / 2] += a[i / 2];
  } else {
    out[i / 2] = max(out[i / 2] + b[i / 2], 0.f);
  }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor");
  TORCH_CHECK(b.is_cuda(), "b must be a CUDA tensor");
  TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
  torch::Tensor x = a.contiguous();
  torch::Tensor y = b.contiguous();
  torch::Tensor out = torch::zeros_like(x);
  int n = x.numel();
  staged_kernel<<<(2 * n + TILE - 1) / TILE, TILE, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
