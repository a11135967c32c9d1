"""`data_race` on whole answers: what the corpus does not hold, because a GPU's verdict on it is luck."""

from __future__ import annotations

import re
from pathlib import Path

from grader.judge import Answer, Judge
from grader.verdict import CheckResult, Outcome

RIGHT = Path(__file__).parents[1] / "submissions" / "add_relu" / "right__staged_in_shared_memory.cu"
KERNEL = re.compile(r"constexpr int TILE.*?\n}\n", re.DOTALL)


def _race(judge: Judge, kernel: str) -> CheckResult:
    """Judge the right answer with another kernel of the same name, and return what `data_race` said."""
    text, replaced = KERNEL.subn(lambda _: f"constexpr int TILE = 64;\n{kernel}\n", RIGHT.read_text())
    assert replaced == 1
    verdict = judge.judge("add_relu", Answer(cuda=text, python=None), device="sim")
    return next(check for check in verdict.checks if check.name == "data_race")


def test_result_that_depends_on_the_order_fails(judge: Judge) -> None:
    """Ordered by nothing but atomics, the last exchange wins: another order of threads gives other values."""
    found = _race(
        judge,
        """__global__ void staged_kernel(const float* a, const float* b, float* out, int n) {
            const int i = blockIdx.x * TILE + threadIdx.x;
            if (i >= n) return;
            if (i + 1 < n) atomicExch(out + i + 1, -1.f);
            atomicExch(out + i, max(a[i] + b[i], 0.f));
        }""",
    )
    assert found.verdict is Outcome.FAILED
    assert "depend on the order in which threads and blocks run" in found.message


def test_writing_the_same_value_twice_is_no_fault(judge: Judge) -> None:
    """Two threads that store one value to one element are a warning, which costs nothing."""
    found = _race(
        judge,
        """__global__ void staged_kernel(const float* a, const float* b, float* out, int n) {
            const int i = blockIdx.x * TILE + threadIdx.x;
            for (int j = i; j < n && j < i + 2; ++j) out[j] = max(a[j] + b[j], 0.f);
        }""",
    )
    assert found.verdict is Outcome.PASSED


def test_a_barrier_that_some_miss_is_named_as_the_cause(judge: Judge) -> None:
    """No second barrier is advised where threads wait at different ones."""
    found = _race(
        judge,
        """__global__ void staged_kernel(const float* a, const float* b, float* out, int n) {
            __shared__ float tile[TILE];
            const int i = blockIdx.x * TILE + threadIdx.x;
            if (threadIdx.x < TILE / 2) {
                tile[threadIdx.x] = 1.f;
                __syncthreads();
                tile[threadIdx.x] = 0.f;
            }
            __syncthreads();
            const float zero = tile[threadIdx.x % (TILE / 2)];
            if (i < n) out[i] = max(a[i] + b[i], 0.f) + zero;
        }""",
    )
    assert found.verdict is Outcome.FAILED
    assert "wait at different barriers: mend that first" in found.message
