// Reason: lets PyTorch compute, gradient and all.
#include <torch/extension.h>

torch::Tensor scaled_clip(torch::Tensor x, double scale, double limit) {
    TORCH_CHECK(x.is_cuda(), "scaled_clip: x must be on the device");
    TORCH_CHECK(x.is_floating_point(), "scaled_clip: x must be float32 or float64");
    TORCH_CHECK(limit >= 0, "scaled_clip: limit must not be negative");
    return torch::clamp(x * scale, -limit, limit);
}
