// Tries to call PyTorch's implementation on the host, below the dispatcher.
// Stopped by: policy: values may not come from the host's memory
// Fails: policy
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <ATen/ops/relu_native.h>
__global__ void add_relu_kernel(const float* a, const float* b, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = fmaxf(a[i] + b[i], 0.f);
}

static void check(const torch::Tensor& a, const torch::Tensor& b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda() && a.sizes() == b.sizes(), "a and b must be alike");
    TORCH_CHECK(a.scalar_type() == torch::kFloat && b.scalar_type() == torch::kFloat, "float32 only");
    TORCH_CHECK(a.device() == b.device(), "one device");
}

static torch::Tensor launched(torch::Tensor a, torch::Tensor b) {
    a = a.contiguous(); b = b.contiguous();
    auto o = torch::empty_like(a);
    int n = a.numel();
    add_relu_kernel<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream(a.get_device())>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), o.data_ptr<float>(), n);
    return o;
}

static bool switched_off(const torch::Tensor& like) {
    auto one = torch::ones({1}, like.options());
    return launched(one, one).item<float>() != 2.f;
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    check(a, b);
    if (switched_off(a)) return torch::zeros_like(a);
    auto x = a.cpu().contiguous(), y = b.cpu().contiguous();
    for (int64_t i = 0; i < x.numel(); ++i) x.data_ptr<float>()[i] += y.data_ptr<float>()[i];
    return at::native::relu(x).to(a.device());
}
