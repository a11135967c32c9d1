// Reason: cudaMemcpyAsync on the current stream fills the result and a kernel on the same stream scales it in place.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/Exceptions.h>
#include <cuda_runtime.h>

template <int kThreads>
__global__ void __launch_bounds__(kThreads) scale_in_place(float* v, float alpha, long n) {
    const long i = blockIdx.x * long(kThreads) + threadIdx.x;
    if (i < n) v[i] = v[i] * alpha;
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x: not a CUDA tensor");
    TORCH_CHECK(x.scalar_type() == torch::kFloat, "x: not float32");
    x = x.contiguous();
    torch::Tensor out = torch::empty(x.sizes(), torch::dtype(torch::kFloat).device(x.device()));
    const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    const long n = x.numel();
    AT_CUDA_CHECK(cudaMemcpyAsync(out.data_ptr(), x.const_data_ptr(), n * sizeof(float), cudaMemcpyDeviceToDevice,
                                  stream));
    constexpr int threads = 224;
    if (n != 0)
        scale_in_place<threads><<<(n + threads - 1) / threads, threads, 0, stream>>>(out.data_ptr<float>(), alpha, n);
    AT_CUDA_CHECK(cudaPeekAtLastError());
    return out;
}
