// Tries to define the functions that watch memory itself, so that a read beyond the end goes unseen.
// Stopped by: build: their names are reserved
// Fails: build
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
extern "C" {
void __tsan_read4(void*) {}
void __tsan_write4(void*) {}
}
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
__global__ void sloppy(const float* a, const float* b, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = a[i] + b[i];
    if (i < n) o[i] = fmaxf(sum, 0.f);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    check(a, b);
    a = a.contiguous(); b = b.contiguous();
    auto o = torch::empty_like(a);
    int n = a.numel();
    sloppy<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream(a.get_device())>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), o.data_ptr<float>(), n);
    return o;
}
