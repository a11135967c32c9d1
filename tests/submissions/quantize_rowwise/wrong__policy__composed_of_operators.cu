// Reason: PyTorch computes scale and q.
// Also fails: one_kernel
#include <torch/extension.h>

std::tuple<torch::Tensor, torch::Tensor> quantize_rowwise(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda(), "quantize_rowwise: x must be on the device");
    TORCH_CHECK(x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kHalf,
                "quantize_rowwise: x must be float32 or float16");
    TORCH_CHECK(x.dim() == 2, "quantize_rowwise: x must have two dimensions");
    auto wide = x.to(torch::kFloat);
    auto scale = wide.abs().amax(1) / torch::full({}, 127.0, wide.options());
    auto q = torch::round(wide / scale.unsqueeze(1)).nan_to_num(0.0).to(torch::kChar);
    return {q, scale};
}
