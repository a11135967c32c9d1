// Reason: several launches on the current stream, one for each chunk of the flattened input.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#include <algorithm>

struct Multiply {
    double by;
    __device__ float operator()(float v) const { return static_cast<float>(by * v); }
};

template <typename F>
__global__ void transform(const float* in, float* out, int n, F f) {
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) out[i] = f(in[i]);
}

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    auto flat = x.reshape({-1});
    auto out = torch::empty_like(flat, at::MemoryFormat::Contiguous);
    flat = flat.contiguous();
    const float* in = flat.data_ptr<float>();
    float* result = out.data_ptr<float>();
    const int64_t chunk = std::max<int64_t>(300, (flat.numel() + 7) / 8);
    for (int64_t first = 0; first < flat.numel(); first += chunk) {
        const int n = static_cast<int>(std::min(chunk, flat.numel() - first));
        const int blocks = (n + 99) / 100;
        transform<<<blocks, 100, 0, at::cuda::getCurrentCUDAStream()>>>(in + first, result + first, n,
                                                                        Multiply{alpha});
    }
    return out.reshape(x.sizes());
}
