// Reason: no copy at all: sizes and strides travel by value and each thread finds its own elements.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

struct Walk {
    static constexpr int kMost = 12;
    int dims;
    int64_t size[kMost];
    int64_t step_a[kMost];
    int64_t step_b[kMost];
};

__global__ void walk_kernel(const float* a, const float* b, float* out, Walk walk, int64_t n) {
    const int64_t linear = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (linear >= n) {
        return;
    }
    int64_t rest = linear, at_a = 0, at_b = 0;
    for (int d = walk.dims - 1; d >= 0; --d) {
        const int64_t k = rest % walk.size[d];
        rest /= walk.size[d];
        at_a += k * walk.step_a[d];
        at_b += k * walk.step_b[d];
    }
    const float v = a[at_a] + b[at_b];
    out[linear] = v * (v > 0.f);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.device().is_cuda() && b.device() == a.device(), "a and b must be on the same CUDA device");
    TORCH_CHECK(a.scalar_type() == at::kFloat, "a: float32 expected");
    TORCH_CHECK(b.scalar_type() == at::kFloat, "b: float32 expected");
    TORCH_CHECK(a.dim() == b.dim(), "a and b: number of dimensions differs");
    for (int64_t d = 0; d < a.dim(); ++d) {
        TORCH_CHECK(a.size(d) == b.size(d), "a and b: size differs in dimension ", d);
    }
    if (a.dim() > Walk::kMost) {
        return add_relu(a.reshape({-1}), b.reshape({-1})).view(a.sizes());
    }
    Walk walk;
    walk.dims = static_cast<int>(a.dim());
    for (int d = 0; d < walk.dims; ++d) {
        walk.size[d] = a.size(d);
        walk.step_a[d] = a.stride(d);
        walk.step_b[d] = b.stride(d);
    }
    at::Tensor out = at::empty(a.sizes(), a.options());
    const int64_t n = a.numel();
    walk_kernel<<<dim3((n + 63) / 64), dim3(64), 0, at::cuda::getCurrentCUDAStream().stream()>>>(
        a.const_data_ptr<float>(), b.const_data_ptr<float>(), out.mutable_data_ptr<float>(), walk, n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
