// Reason: thread 0 puts the factor in shared memory, and the others read it without a barrier.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

__global__ void scale(const float* in, float* out, float alpha, int n) {
  __shared__ float factor;
  if (threadIdx.x == 0) {
    factor = alpha;
  }
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = factor * in[i];
  }
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
  TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat, "x must be a float32 CUDA tensor");
  c10::cuda::CUDAGuard guard(x.device());
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int n = in.numel();
  if (n == 0) return out;
  scale<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), float(alpha), n);
  return out;
}
