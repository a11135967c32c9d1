"""How kernels of `torch.compile` are counted, and that a GPU's count is the CPU's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch

from grader import inductor
from grader.exercises import get
from grader.exercises.compiler_first import PATTERNS, counted

# Importing Inductor uses what torch.jit has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


def test_fused_operations_are_one_kernel() -> None:
    """A chain is one generated kernel that names its operations; a matrix product is a library's."""
    (only,) = inductor.kernels(lambda x: torch.relu(x + 1) * 2, torch.randn(8, 8))
    assert only.kind == "generated"
    assert only.operations == ("add", "relu", "mul")
    kinds = [one.kind for one in inductor.kernels(lambda x: torch.relu(x @ x), torch.randn(64, 64))]
    assert kinds == ["library", "generated"]


def test_views_are_no_kernel() -> None:
    """What moves no data launches nothing."""
    assert inductor.kernels(lambda x: x.t()[1:], torch.randn(8, 8)) == ()


def test_a_call_with_several_results_is_one_kernel() -> None:
    """A sort gives values and places in one call, which what is computed for it does not name as its own."""
    found = inductor.kernels(lambda x: torch.sort(x * 2)[0] + 1, torch.randn(8, 8))
    assert [str(kernel) for kernel in found] == ["generated: mul", "library: sort", "generated: add"]


def test_counting_leaves_the_function_right() -> None:
    """A call that is being counted returns what it always returns, in every graph of a broken one."""
    pattern, inputs = PATTERNS["logged_chain"]
    x, y = inputs(torch.device("cpu"))
    kept: list[torch.Tensor] = []
    inductor.kernels(lambda x, y: kept.append(pattern(x, y)), x, y)
    torch.testing.assert_close(kept[0], pattern(x, y))


def test_a_function_that_cannot_be_compiled_is_no_count() -> None:
    """A fault before fusion is raised and not taken for a function without kernels."""

    def faulty(x: torch.Tensor) -> torch.Tensor:
        return x @ torch.ones(3, 3)

    with pytest.raises(Exception, match="shape|size"):
        inductor.kernels(faulty, torch.randn(4, 4))


def test_patterns_are_counted_in_a_process_of_their_own() -> None:
    """Its standard output is JSON alone, although a pattern prints; the counts are not all the same."""
    command = [sys.executable, "-m", "grader.inductor", "grader.exercises.compiler_first"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout)
    assert found == get("compiler_first").reference()["kernel_counts"] == counted()
    assert list(found) == list(PATTERNS)
    assert set(found.values()) == {1, 2, 3}


@pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a GPU: counts on it are compared with the CPU's"
)
@pytest.mark.filterwarnings("ignore:TensorFloat32 tensor cores:UserWarning")
def test_a_gpu_has_the_same_counts() -> None:
    """What counts as a kernel is chosen so that the answer does not depend on the device."""
    assert inductor.counts(PATTERNS, torch.device("cuda")) == counted()
