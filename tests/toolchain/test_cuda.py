"""Builds for CUDA: what needs no GPU is tested anywhere, the rest where there is one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from grader.toolchain import BuildRequest, EnvironmentFault, build, cuda, load, toolkit
from grader.toolchain.request import BuildResult, Diagnostic
from grader.toolchain.toolkit import Toolkit
from grader.toolchain.torch_install import TorchInstall, installed
from grader.toolchain.units import Source

SOURCE = """#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void k(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] = 3.f; }
torch::Tensor fill(torch::Tensor x, double unused = 1.0) {
    TORCH_CHECK(x.dim() == 1, "x has ", x.dim(), " dimensions and ", 2.5);
    k<<<1, 32, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), x.numel());
    return x;
}
static int hidden() { return 1; }
"""
needs_gpu = pytest.mark.skipif(
    not torch.cuda.is_available() or shutil.which("nvcc") is None, reason="needs a GPU and nvcc"
)


def test_the_binding_file_declares_what_it_binds() -> None:
    """Bindable functions are declared for PyTorch's binding file, but none that the learner declared."""
    source = Source.read(SOURCE, "cell", 2)
    assert [function.name for function in source.translation.offered] == ["fill"]
    assert cuda._declarations(source, ["fill"], "") == ["torch::Tensor fill(torch::Tensor x, double unused);"]
    assert cuda._declarations(source, ["fill"], "torch::Tensor fill (torch::Tensor x, double u);") == []


def test_messages_are_found_in_what_pytorch_raises() -> None:
    """nvcc's and g++'s messages in the exception's text become diagnostics of the cell."""
    source = Source.read(SOURCE, "cell", 2)
    text = 'Error building extension\ncell(4): error: identifier "q" is undefined\n  q\n  ^\n1 error\n'
    (found,) = cuda._diagnostics(text, source)
    assert found.message == 'identifier "q" is undefined'
    assert found.place is not None
    assert (found.place.line, found.place.text) == (4, SOURCE.split("\n")[2])


def test_a_pytorch_without_cuda_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU build of PyTorch cannot build for CUDA, and says which step helps."""
    monkeypatch.setattr(toolkit, "installed", lambda: TorchInstall(Path("/torch"), "9.9+cpu", None, "c++20"))
    with pytest.raises(EnvironmentFault, match="built without CUDA.*--device sim"):
        build(BuildRequest(name="kernels", cuda=SOURCE, device="cuda"))


def test_a_source_cannot_blame_the_machine() -> None:
    """An error at a line of the source is the source's, whatever its words; others may be nvcc's."""
    words = "CUDA_HOME environment variable is not set"
    place = Source.read(SOURCE, "cell", 2).place(2, 1)
    cuda._check_machine(BuildResult(False, diagnostics=[Diagnostic("error", words, place)], output=words))
    with pytest.raises(EnvironmentFault, match="nvcc was not found"):
        cuda._check_machine(BuildResult(False, diagnostics=[Diagnostic("error", words)], output=words))
    same = 'no instance of constructor "std::tuple<_T1, _T2>" matches: the number does not match'
    cuda._check_machine(BuildResult(False, diagnostics=[Diagnostic("error", same)], output=same))


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (
            "RuntimeError: CUDA_HOME environment variable is not set. Please set it",
            "Install the CUDA toolkit",
        ),
        ("/bin/sh: 1: /usr/local/cuda/bin/nvcc: not found", "Install the CUDA toolkit"),
        ("RuntimeError: Ninja is required to load C++ extensions", "pip install ninja"),
        (
            "error: #error -- unsupported GNU version! gcc versions later than 12 are not supported!",
            "Set CXX",
        ),
        ("The detected CUDA version (11.8) mismatches the version that was used to compile", "CUDA_HOME"),
    ],
)
def test_the_machine_is_blamed_for_versions_that_do_not_fit(output: str, words: str) -> None:
    """B15, B18, B19, B21, B22: what no source could mend is no build error, and the next step is named."""
    with pytest.raises(EnvironmentFault, match=words):
        cuda._check_machine(BuildResult(False, diagnostics=[Diagnostic("error", output)], output=output))


def test_threads_ask_for_the_toolkit_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Threads that find nothing kept all ask PyTorch, and all are answered."""
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    monkeypatch.setattr(toolkit, "require_cuda", lambda: None)
    monkeypatch.setattr(toolkit, "_asked", lambda: Toolkit("nvcc", [], [], [], ""))
    together, replace = threading.Barrier(8), Path.replace

    def replaced(self: Path, target: Path) -> Path:
        together.wait(timeout=30)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    with ThreadPoolExecutor(8) as pool:
        found = [future.result() for future in [pool.submit(toolkit.find) for _ in range(8)]]
    assert found == [toolkit.find()] * 8


@needs_gpu
def test_builds_and_runs() -> None:
    """A source is built once, bound by its own names, and runs."""
    request = BuildRequest(name="kernels", cuda=SOURCE, device="cuda", first_line=2)
    first, second = build(request), build(request)
    assert first.ok, first.output
    assert second.cached
    assert first.library is not None
    module = load(first.library, "kernels")
    assert module.fill(torch.zeros(4, device="cuda"), 1.0).tolist() == [3.0] * 4
    with pytest.raises(RuntimeError, match="x has 2 dimensions and 2.5"):
        module.fill(torch.zeros(2, 2, device="cuda"), 1.0)


@needs_gpu
def test_a_compile_error_is_placed() -> None:
    """nvcc's error comes back at the learner's line."""
    source = SOURCE.replace("a[i] = 3.f", "a[i] = wrong")
    result = build(BuildRequest(name="kernels", cuda=source, device="cuda", first_line=2))
    assert not result.ok
    assert result.diagnostics[0].place is not None
    assert result.diagnostics[0].place.line == 4


@needs_gpu
def test_load_inline_without_declarations() -> None:
    """`load_inline` needs no declaration of what the CUDA text defines, and a stale lock blocks nothing."""
    from grader.toolchain.inline import load_inline

    assert installed().cuda is not None
    module = load_inline(name="fused", cuda_sources=SOURCE, functions=["fill"])
    assert module.fill(torch.zeros(2, device="cuda"), 1.0).tolist() == [3.0, 3.0]


@needs_gpu
def test_a_second_process_need_not_ask_pytorch() -> None:
    """What PyTorch says of flags and architectures is kept, and read without importing torch."""
    assert toolkit.find() == toolkit._asked()
    program = (
        "import sys; from grader.toolchain import toolkit; toolkit.find(); print('torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
