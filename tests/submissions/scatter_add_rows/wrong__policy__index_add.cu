// Reason: PyTorch adds.
#include <torch/extension.h>

torch::Tensor scatter_add_rows(torch::Tensor src, torch::Tensor index, int64_t rows) {
    TORCH_CHECK(src.is_cuda() && index.is_cuda(), "scatter_add_rows: src and index must be on the device");
    TORCH_CHECK(src.scalar_type() == torch::kFloat, "scatter_add_rows: src must be float32");
    TORCH_CHECK(index.scalar_type() == torch::kLong, "scatter_add_rows: index must be int64");
    TORCH_CHECK(src.dim() == 2 && index.dim() == 1, "scatter_add_rows: src must be 2-D and index 1-D");
    TORCH_CHECK(src.size(0) == index.size(0), "scatter_add_rows: src and index must have as many rows");
    TORCH_CHECK(rows >= 0, "scatter_add_rows: rows must not be negative");
    auto inside = index.ge(0).logical_and(index.lt(rows)).nonzero().squeeze(1);
    auto out = torch::zeros({rows, src.size(1)}, src.options());
    return out.index_add(0, index.index_select(0, inside), src.index_select(0, inside));
}
