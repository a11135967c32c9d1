"""`load_inline` on the simulator behaves as PyTorch's does with CUDA."""

from __future__ import annotations

import inspect
import time
from typing import Any

import pytest
import torch

from grader.toolchain import CompileError, inline
from grader.toolchain.inline import load_inline

pytestmark = pytest.mark.usefixtures("runtime", "on_sim")

SOURCE = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void add_relu_kernel(const float* __restrict__ a, const float* __restrict__ b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = a[i] + b[i];
        out[i] = v > 0.f ? v : 0.f;
    }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && b.is_cuda(), "inputs must be CUDA tensors");
    TORCH_CHECK(a.sizes() == b.sizes(), "size mismatch");
    a = a.contiguous();
    b = b.contiguous();
    auto out = torch::empty_like(a);
    const int n = a.numel();
    auto stream = c10::cuda::getCurrentCUDAStream();
    add_relu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
"""
DECLARATION = "torch::Tensor add_relu(torch::Tensor a, torch::Tensor b);"


@pytest.fixture
def on_sim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose the simulator, also where there is a GPU."""
    monkeypatch.setenv("GRADER_DEVICE", "sim")


def test_the_worked_example_runs() -> None:
    """The course's first example gives relu(a + b) on the device, and raises on the CPU."""
    device = inline.find_device()
    module = load_inline(name="fused", cuda_sources=SOURCE, functions=["add_relu"], verbose=False)
    a, b = torch.randn(1000, device=device), torch.randn(1000, device=device)
    torch.testing.assert_close(module.add_relu(a, b), torch.relu(a + b))
    torch.testing.assert_close(
        module.add_relu(a.view(8, 125).t(), b.view(8, 125).t()).t().reshape(-1), torch.relu(a + b)
    )
    with pytest.raises(RuntimeError, match="^inputs must be CUDA tensors$"):
        module.add_relu(a.cpu(), b)


def test_signature_is_that_of_the_installed_version() -> None:
    """Parameters, their order and their defaults are PyTorch's; only `cpp_sources` may be left out."""
    from torch.utils.cpp_extension import load_inline as original

    ours, theirs = (inspect.signature(function).parameters for function in (load_inline, original))
    assert list(ours) == list(theirs)
    assert ours["cpp_sources"].default == ""
    assert all(ours[name].default == theirs[name].default for name in theirs if name != "cpp_sources")


@pytest.mark.parametrize(
    ("functions", "doc"),
    [("add_relu", "add_relu"), (["add_relu"], "add_relu"), ({"add_relu": "relu of a sum"}, "relu of a sum")],
)
def test_functions_are_named_as_pytorch_names_them(functions: Any, doc: str) -> None:
    """A name, a list or a dict with docstrings; the C++ declaration may stand in `cpp_sources`."""
    module = load_inline("fused", [DECLARATION], [SOURCE], functions=functions)
    assert module.add_relu.__doc__.rstrip().endswith(doc)
    assert module.__file__.endswith("module.so")


def test_wrong_kind_of_functions() -> None:
    """A set of names is refused as PyTorch refuses it."""
    with pytest.raises(ValueError, match="Expected 'functions' to be a list or dict"):
        load_inline("fused", "", SOURCE, functions={"add_relu"})


def test_host_code_in_cpp_sources() -> None:
    """C++ code that calls what the CUDA text defines is a unit of its own, with its own statics."""
    cpp = (
        DECLARATION
        + "\nstatic int once() { return 1; }\ntorch::Tensor twice(torch::Tensor a) { return add_relu(a, a); }"
    )
    module = load_inline(
        "fused", cpp, SOURCE + "static int once() { return 2; }", functions=["twice", "add_relu"]
    )
    x = torch.ones(4, device="sim")
    assert module.twice(x).tolist() == [2.0] * 4
    assert module.add_relu(x, x).tolist() == [2.0] * 4


def test_a_changed_source_is_a_new_module() -> None:
    """The same name with other source gives a new module, and the old one still works."""
    text = "int64_t value() {{ return {}; }}"
    old, new = (load_inline("same", "", text.format(n), functions=["value"]) for n in (1, 2))
    assert (old.value(), new.value(), old is new) == (1, 2, False)


def test_a_compile_error_is_short_and_placed() -> None:
    """The exception is a RuntimeError that shows the line of the string and a caret."""
    with pytest.raises(CompileError) as caught:
        load_inline("fused", "", SOURCE.replace("a[i] + b[i]", "a[i] + c[i]"), functions=["add_relu"])
    lines = str(caught.value).split("\n")
    assert lines[0].startswith("cuda_sources, line 8, column 26: 'c' was not declared in this scope")
    assert lines[1].index("c[i]") == lines[2].index("^")
    assert len(lines) < 8


def test_an_unknown_function_is_named() -> None:
    """A misspelt name in `functions` is said, with what there is."""
    with pytest.raises(
        CompileError, match="no function named 'add_relo'.*the source defines: add_relu; did you mean"
    ):
        load_inline("fused", DECLARATION, SOURCE, functions=["add_relo"])


def test_verbose_tells_what_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    """verbose=True prints the build with its command and seconds, and a hit of the cache."""
    text = f"int64_t value() {{ return {time.time_ns()}; }}"
    for _ in range(2):
        load_inline("talk", "", text, functions=["value"], verbose=True)
    said = capsys.readouterr().out
    assert "talk: built in" in said
    assert "talk: found in the cache in" in said
    assert "g++" in said
