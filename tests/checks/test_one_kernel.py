"""`one_kernel`, judged from what a worker would say of one dense call."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from grader import exercises
from grader.checks import OneKernel
from grader.checks.base import Drawn, Finding
from grader.exercise import Case, Draw
from grader.judge.observation import ErrorSeen, Observation
from grader.judge.protocol import Step
from grader.verdict import Outcome, Place


class Launching:
    """A bench whose worker launches given kernels and runs given operators."""

    kind = "sim"

    def __init__(self, kernels: Sequence[str], operators: Sequence[str], error: ErrorSeen | None) -> None:
        """Keep what a call is to show."""
        self.exercise, self._error = exercises.get("leaky_relu"), error
        self._launches = tuple({"kernel": name, "line": 10 + n} for n, name in enumerate(kernels))
        self._operators = tuple(operators)

    def draw(self, case: Case, *labels: str) -> Drawn:
        """Return what the exercise draws for the labels."""
        arguments = self.exercise.inputs(case, Draw(5, *labels))
        return Drawn(case, arguments, self.exercise.reference(arguments[0].double(), arguments[1]))

    def sized(self, case: Case) -> Case:
        """Return the case: none here is drawn."""
        return case

    def observe(self, step: Step) -> Observation:
        """Show launches and operators, operators only if they are watched."""
        return Observation(
            self._error, (), launches=self._launches, operators=self._operators if step.watch else ()
        )

    def place(self, line: int | None) -> Place | None:
        """Return a place in the cell."""
        return None if line is None else Place(line)


def judged(kernels: Sequence[str], *operators: str, error: ErrorSeen | None = None) -> Finding:
    """Return what the check says of a call that launches these kernels and runs these operators."""
    check = OneKernel(2, (Case("dense", (3, 5)),))
    return check.run(Launching(kernels, operators, error))  # type: ignore[arg-type]


def test_one_kernel_into_fresh_memory_passes() -> None:
    """Allocating and viewing pass over no memory."""
    assert judged(["norm"], "aten::empty.memory_format", "aten::view").outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("operator", "advice"),
    [
        ("aten::zeros_like", "torch::empty"),
        ("aten::fill_.Scalar", "torch::empty"),
        ("aten::_to_copy", "convert in the kernel"),
        ("aten::clone", "convert in the kernel"),
    ],
)
def test_a_pass_beside_the_kernel_fails(operator: str, advice: str) -> None:
    """Filling and copying read or write all of a tensor again, and are named, each with what mends it."""
    finding = judged(["norm"], "aten::empty_like", operator)
    assert finding.outcome is Outcome.FAILED
    assert operator.split("::")[1].split(".")[0] in finding.message
    assert advice in finding.message


def test_two_kernels_fail_where_the_second_is_launched() -> None:
    """Both are named, and the place is that of the last."""
    finding = judged(["statistics", "scale"])
    assert finding.outcome is Outcome.FAILED
    assert "2 kernels were launched (statistics, scale)" in finding.message
    assert finding.where is not None
    assert finding.where.line == 11


def test_no_kernel_at_all_fails() -> None:
    """Work that no kernel did is not one kernel."""
    assert judged([]).outcome is Outcome.FAILED


def test_a_call_that_raised_is_the_business_of_other_checks() -> None:
    """An exception says nothing about the number of kernels, and earns nothing."""
    assert judged([], error=ErrorSeen("call", 0, "RuntimeError", "no")).outcome is Outcome.NOT_RUN
