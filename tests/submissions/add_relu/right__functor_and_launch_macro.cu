// Reason: a templated map over a functor; the launch stands inside a macro; everything but the entry is in a namespace.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#define CEIL_DIV(x, y) (((x) + (y) - 1) / (y))
#define LAUNCH_MAP(kernel, count, ...)                                                            \
    do {                                                                                          \
        kernel<<<CEIL_DIV(count, 192), 192, 0, at::cuda::getCurrentCUDAStream()>>>(__VA_ARGS__);  \
        C10_CUDA_KERNEL_LAUNCH_CHECK();                                                           \
    } while (0)

namespace course {

template <typename T>
struct AddThenRelu {
    T floor;
    __host__ __device__ T operator()(T x, T y) const { return x + y > floor ? x + y : floor; }
};

template <typename T, class Op>
__global__ void map2(const T* x, const T* y, T* z, unsigned count, Op op) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        z[i] = op(x[i], y[i]);
    }
}

inline torch::Tensor dense_float(const torch::Tensor& t, const std::string& name) {
    TORCH_CHECK(t.is_cuda(), name + " must be a CUDA tensor");
    TORCH_CHECK_TYPE(t.scalar_type() == torch::kFloat32, name + " must hold float32");
    return t.contiguous();
}

}  // namespace course

torch::Tensor add_relu(const torch::Tensor& a, const torch::Tensor& b) {
    TORCH_CHECK_VALUE(a.sizes() == b.sizes(), "a and b must have the same shape");
    const auto x = course::dense_float(a, "a");
    const auto y = course::dense_float(b, "b");
    auto z = torch::empty_like(x);
    const unsigned count = static_cast<unsigned>(x.numel());
    LAUNCH_MAP((course::map2<float, course::AddThenRelu<float>>), count, x.data_ptr<float>(), y.data_ptr<float>(),
               z.data_ptr<float>(), count, course::AddThenRelu<float>{0.f});
    return z;
}
