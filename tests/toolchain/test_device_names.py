"""`sim` answers to CUDA's names in a learner's unit."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch

SOURCE = """
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>
bool is_cuda(torch::Tensor x) { return x.is_cuda(); }
bool type_is_cuda(torch::Tensor x) { return x.device().type() == torch::kCUDA && x.device().is_cuda(); }
bool key_is_cuda(torch::Tensor x) {
  return x.key_set().has_backend(c10::BackendComponent::CUDABit);
}
bool is_private(torch::Tensor x) { return x.is_privateuseone(); }
torch::Tensor made(int64_t n) {
  return torch::zeros({n}, torch::device(torch::kCUDA).dtype(torch::kFloat64));
}
torch::Tensor second(int64_t n) { return torch::ones({n}, torch::Device(torch::kCUDA, 1)); }
torch::Tensor like(torch::Tensor x) { return torch::zeros({2}, x.options().dtype(torch::kInt32)); }
torch::Tensor moved(torch::Tensor x) { return x.to(torch::kCUDA); }
bool graph() {
  return torch::empty({2}, torch::device(torch::kCUDA).requires_grad(true)).requires_grad();
}
"""
LIBRARY = """
#include <torch/extension.h>
torch::Tensor twice(const torch::Tensor& x) { return x * 2; }
TORCH_LIBRARY(toolchain_device_names, m) { m.def("twice(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(toolchain_device_names, CUDA, m) { m.impl("twice", &twice); }
torch::Tensor joined(std::vector<torch::Tensor> x) {
  return torch::cat(x) + torch::tensor({1.0, 2.0}).size(0);
}
"""


@pytest.fixture(scope="module")
def module(loaded: Callable[..., ModuleType]) -> ModuleType:
    """Return a module that asks tensors where they live."""
    return loaded(SOURCE)


@pytest.mark.parametrize(
    ("name", "on_sim"),
    [("is_cuda", True), ("type_is_cuda", True), ("key_is_cuda", True), ("is_private", False)],
)
def test_a_tensor_says_that_it_is_on_cuda(module: ModuleType, name: str, on_sim: bool) -> None:
    """A tensor on `sim` is a CUDA tensor to the unit, and one on the CPU is not."""
    assert getattr(module, name)(torch.ones(2, device="sim")) is on_sim
    assert getattr(module, name)(torch.ones(2)) is False


def test_factories_make_tensors_on_sim(module: ModuleType) -> None:
    """`torch::kCUDA` in options makes tensors of the simulator, with dtype, index and gradient as asked."""
    made = module.made(3)
    assert (made.device.type, made.dtype, made.tolist()) == ("sim", torch.float64, [0.0, 0.0, 0.0])
    assert module.second(1).device == torch.device("sim", 1)
    assert module.like(made).dtype is torch.int32
    assert module.like(made).device.type == "sim"
    assert module.moved(torch.ones(2)).device.type == "sim"
    assert module.graph() is True


def test_an_operator_registered_for_cuda_runs_on_sim(loaded: Callable[..., ModuleType]) -> None:
    """`TORCH_LIBRARY_IMPL(..., CUDA, m)` serves tensors on `sim` and no others."""
    module = loaded(LIBRARY)
    x = torch.ones(2, device="sim")
    assert torch.ops.toolchain_device_names.twice(x).tolist() == [2.0, 2.0]
    assert module.joined([x, x]).tolist() == [3.0] * 4
    with pytest.raises(NotImplementedError, match="CPU"):
        torch.ops.toolchain_device_names.twice(torch.ones(2))
