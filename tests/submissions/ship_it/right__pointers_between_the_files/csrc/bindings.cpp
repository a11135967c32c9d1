#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

void launch_add_relu(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream);

torch::Tensor add_relu(const torch::Tensor& a, const torch::Tensor& b) {
    TORCH_CHECK(a.device().is_cuda() && b.device() == a.device(), "add_relu: a and b must be on one device");
    TORCH_CHECK(a.scalar_type() == at::kFloat && b.scalar_type() == at::kFloat, "add_relu: float32 only");
    TORCH_CHECK(a.sizes().equals(b.sizes()), "add_relu: a and b must have the same sizes");
    const auto x = a.contiguous(), y = b.contiguous();
    auto out = torch::empty(a.sizes(), a.options());
    launch_add_relu(x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), out.numel(),
                    c10::cuda::getCurrentCUDAStream(a.get_device()));
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    module.doc() = "Fused operators.";
    module.def("add_relu", &add_relu, pybind11::arg("a"), pybind11::arg("b"));
}
