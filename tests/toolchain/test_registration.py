"""Operators of a rebuilt module take the place of an older one's, and errors are exceptions."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch

SOURCE = """
#include <torch/extension.h>
torch::Tensor times(const torch::Tensor& x) { return x * FACTOR; }
TORCH_LIBRARY(toolchain_registration, m) { m.def("times(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(toolchain_registration, CUDA, m) { m.impl("times", &times); }
"""
NAME = "toolchain_registration::times"
Loader = Callable[..., ModuleType]


def complete() -> None:
    """Register a fake kernel and a gradient, as an answer's Python does."""
    torch.library.register_fake(NAME, torch.empty_like)
    torch.library.register_autograd(NAME, lambda ctx, grad: grad)


def test_a_rebuilt_module_takes_the_place_of_the_older_one(loaded: Loader) -> None:
    """The second load neither ends the process nor leaves the first kernel, fake or gradient in place."""
    x = torch.ones(2, device="sim", requires_grad=True)
    for factor in (2, 3, 2):
        loaded(SOURCE.replace("FACTOR", str(factor)))
        assert torch.ops.toolchain_registration.times(x.detach()).tolist() == [factor, factor]
        complete()
        torch.ops.toolchain_registration.times(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (SOURCE.replace("Tensor x)", "Tensor x, int n)", 1), "number of arguments is different"),
        (
            SOURCE
            + 'TORCH_LIBRARY_FRAGMENT(toolchain_registration, m) { m.def("times(Tensor x) -> Tensor"); }',
            "multiple times",
        ),
    ],
    ids=["another schema", "defined twice"],
)
def test_a_refused_registration_is_an_exception(loaded: Loader, broken: str, told: str) -> None:
    """What PyTorch says of it is told; the process goes on, and a mended module loads."""
    with pytest.raises(RuntimeError, match=told):
        loaded(broken.replace("FACTOR", "5"))
    loaded(SOURCE.replace("FACTOR", "2"))
    assert torch.ops.toolchain_registration.times(torch.ones(1, device="sim")).tolist() == [2.0]
