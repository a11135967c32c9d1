// Reason: PyTorch finds the segments and adds.
#include <torch/extension.h>

torch::Tensor segment_sum(torch::Tensor values, torch::Tensor offsets) {
    TORCH_CHECK(values.is_cuda() && offsets.is_cuda(), "segment_sum: values and offsets must be on the device");
    TORCH_CHECK(values.scalar_type() == torch::kFloat, "segment_sum: values must be float32");
    TORCH_CHECK(offsets.scalar_type() == torch::kLong, "segment_sum: offsets must be int64");
    TORCH_CHECK(values.dim() == 2 && offsets.dim() == 1, "segment_sum: values must be 2-D and offsets 1-D");
    auto segments = torch::arange(offsets.numel() - 1, offsets.options());
    auto of_row = torch::repeat_interleave(segments, offsets.diff());
    return torch::zeros({offsets.numel() - 1, values.size(1)}, values.options()).index_add(0, of_row, values);
}
