"""The lean way to CUDA: what it takes on, what nvcc is given, and a binding library without the simulator."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from grader.toolchain import BuildRequest, build, load, nvcc, runtime, toolkit
from grader.toolchain.loading import CUDA_LIBRARY
from grader.toolchain.units import Source

SOURCE = """#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void k(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] = 3.f; }
torch::Tensor fill(torch::Tensor x) {
    k<<<1, 32, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), x.numel());
    return torch::neg(x);
}
"""
needs_gpu = pytest.mark.skipif(
    not torch.cuda.is_available() or shutil.which("nvcc") is None, reason="needs a GPU and nvcc"
)


def asked(cuda: str = SOURCE, **more: object) -> BuildRequest:
    """Return a request for CUDA."""
    return BuildRequest(**{"name": "kernels", "cuda": cuda, "device": "cuda", "first_line": 2, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (asked(), True),
        (asked(cpp="torch::Tensor fill(torch::Tensor x);"), True),
        (asked(exact=True), False),
        (asked(cpp="int one() { return 1; }"), False),
        (asked(cuda=SOURCE + "PYBIND11_MODULE(x, m) {}"), False),
        (asked(cuda=" "), False),
    ],
)
def test_one_unit_without_pybind11_is_lean(request_: BuildRequest, expected: bool) -> None:
    """`--exact`, a second unit with code and pybind11 are left to PyTorch's own build."""
    assert nvcc.serves(request_) is expected


def test_the_unit_keeps_the_learners_text_and_lines() -> None:
    """nvcc gets the text unchanged, behind the headers that it names and before the table of functions."""
    source = Source.read(SOURCE, "cell", 2)
    unit = nvcc._Unit(asked(), source, ["fill"], runtime.ensure(), toolkit.Toolkit("nvcc", [], [], [], ""))
    text = unit.text(unit.first_mode())
    head, tail = text.split(SOURCE)
    assert head.endswith('#line 2 "cell"\n')
    assert "#include <ATen/ops/neg.h>" in head
    assert 'entry("fill", "x", &::fill)' in tail


def test_the_binding_library_stands_alone() -> None:
    """A library for CUDA does not bring the simulator into the process."""
    command = ["ldd", runtime.ensure().binding]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "libtorch_python" in lines
    assert "libgrader_sim" not in lines
    assert ctypes.PyDLL(str(runtime.ensure().binding)).grader_bind_function


@needs_gpu
def test_builds_lean_and_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The lean way serves an ordinary source, and PyTorch's own headers serve what names more."""
    monkeypatch.setenv("GRADER_CACHE", os.environ.get("GRADER_CACHE", str(tmp_path)))
    result = build(asked(SOURCE + f"// {os.getpid()}\n"))
    assert result.ok, result.output
    assert result.library is not None
    assert result.library.name == CUDA_LIBRARY
    module = load(result.library, "kernels")
    assert module.fill(torch.zeros(4, device="cuda")).tolist() == [-3.0] * 4
    with pytest.raises(TypeError, match="fill"):
        module.fill("no tensor")
