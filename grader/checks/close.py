"""`close`: every case's result is new, of the right type, shape and device, and close to the reference.

The reference is computed in float64.  Each case is called twice with different values before either result is
read, so that a cached result or a result in static memory is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.checks.base import PASSED, Bench, CaseRun, Check, Drawn, Finding, failed, tensor_names
from grader.checks.comparison import Difference, compare, form, told_apart
from grader.exercise import Case
from grader.judge import messages, several
from grader.judge.faults import WorkerLostError
from grader.judge.observation import CallSeen

_CONTIGUOUS = frozenset({"dense", "offset"})
_ROUNDED = {torch.float32: ("float", 1e-4, 5e-3), torch.float64: ("double", 1e-9, 5e-3)}
"""For a dtype the type to compute in, and between which relative errors a narrower one shows."""
_LAST_DIGITS = (
    "Only the last digits are wrong. Look for what loses some: a difference of large numbers, a long sum "
    "in a narrow type, an approximation such as __expf."
)


@dataclass(frozen=True)
class Close(Check):
    """Values.  See the module."""

    name = "close"
    vacuous_without_values = False

    def run(self, bench: Bench) -> Finding:
        """Report the first case that is wrong, and how many are."""
        problems = [(run.case, problem) for run in bench.runs() if (problem := case_problem(bench, run))]
        if not problems:
            return PASSED
        wrong, total = len(problems), len(bench.runs())
        case, problem = problems[0]
        only = _only_layouts(bench, [case for case, _ in problems])
        count = f" {wrong} of {total} cases are wrong." if wrong > 1 else ""
        return failed(f"{problem}{only}{count}", None, [{"kind": "values", "case": case.name}])


def case_problem(bench: Bench, run: CaseRun) -> str | None:
    """Say what is wrong with a case's run, or return None."""
    where = messages.case_text(run.case)
    function = bench.exercise.answer.called
    if isinstance(run.seen, WorkerLostError):
        return messages.lost(function, run.seen, where)
    if run.seen.error:
        return messages.exception(function, run.seen.error, where, run.seen.reports)
    for call, drawn in zip(run.seen.calls, run.drawn, strict=True):
        problem = call_problem(bench, call, drawn, f"{bench.kind}:0")
        if problem:
            return f"{function}: {problem}"
    return None


def call_problem(bench: Bench, call: CallSeen, drawn: Drawn, device: str) -> str | None:
    """Say what is wrong with one call's result, or return None."""
    where = messages.located(messages.case_text(drawn.case))
    results = bench.exercise.results
    found = len(call.parts) if results else len(call.outputs)
    if call.structure != bench.exercise.structure or found != max(len(results), 1):
        wanted = _form(bench.exercise.structure, len(results))
        return f"the result is {_form(call.structure, found)}, not {wanted}{where}."
    for result, part, expected in zip(results, call.parts, drawn.parts, strict=True):
        problem = form(part, expected, result.dtype, device)
        if problem:
            return f"{problem.replace('the result', result.name, 1)}{where}."
    output = call.outputs[0]
    problem = form(output, drawn.expected, bench.exercise.result_dtype(drawn.case), device)
    if problem:
        return f"{problem}{where}."
    if output.aliases and bench.exercise.in_place is None:
        other = _alias(bench, drawn, output.aliases[0])
        return f"the result shares its memory with {other}{where}. Return a new tensor."
    assert output.values is not None
    return value_problem(bench, output.values, drawn)


def value_problem(bench: Bench, values: torch.Tensor, drawn: Drawn) -> str | None:
    """Say how values differ from the expected ones, or return None."""
    if values.shape != drawn.expected.shape:
        return f"the result has shape {tuple(values.shape)} instead of {tuple(drawn.expected.shape)}."
    dtype = bench.exercise.result_dtype(drawn.case)
    difference = compare(values, drawn.expected, dtype, bench.exercise.ulps, drawn.magnitude)
    if difference is None:
        return None
    results = bench.exercise.results
    element = several.place(results, drawn.parts, difference.first[0]) if results else ""
    exact = not results and _is_unrounded(drawn) and difference.expected != 0
    return describe(difference, drawn.case, bench.exercise.in_place is not None, element, exact)


def _is_unrounded(drawn: Drawn) -> bool:
    """Whether the exercise asks for equality, by a magnitude of 0 everywhere."""
    return drawn.magnitude is not None and not drawn.magnitude.any()


def _form(structure: str, found: int) -> str:
    return f"a tuple of {found} tensors" if structure == "tuple" else structure


def describe(
    difference: Difference, case: Case, in_place: bool = False, element: str = "", exact: bool = False
) -> str:
    """Say where values differ, and what that often comes from; `exact` says that nothing here is rounded."""
    where = messages.located(messages.case_text(case))
    index = list(difference.first)
    got, expected = told_apart(difference.got, difference.expected)
    both = f"got {got}, expected {expected}"
    at = f"at {element or index}: {both}" if index else both
    are = "is" if difference.wrong == 1 else "are"
    what = f"{difference.wrong} of {difference.numel} values {are} wrong{where}; {at}."
    return f"{what} {_advice(difference, case, in_place, exact)}".rstrip()


def _advice(difference: Difference, case: Case, in_place: bool, exact: bool) -> str:
    if difference.nan == difference.wrong:
        return (
            "NaN is what fresh memory holds: were these elements never written, or computed from what was "
            "not? Check grid size and bounds. If not that, look for 0 / 0 or the root of a negative number."
        )
    if case.layout == "dense" and exact:
        return "These whole numbers add up without rounding: some were left out, or added twice."
    if case.layout == "dense":
        return _rounding_advice(difference.relative, case.dtype)
    if _is_contiguous(case):
        return "This input begins in the middle of its storage: data_ptr() knows where."
    if in_place and case.layout_of(0) not in _CONTIGUOUS:
        return "This view is not contiguous, and a contiguous copy is another tensor: use its strides."
    if in_place:
        return "An argument is not contiguous here: a raw pointer ignores its strides."
    return "This input is not contiguous: a raw pointer ignores strides. Call .contiguous() first."


def _rounding_advice(relative: float, dtype: torch.dtype) -> str:
    """Say what the size of the largest error points to, where it is one of rounding."""
    if dtype not in _ROUNDED:
        return ""
    narrower, least, most = _ROUNDED[dtype]
    if least <= relative < most:
        return (
            f"The error has the size of a narrower type's: compute in {narrower}. Or is a small term missing?"
        )
    return _LAST_DIGITS if 0 < relative < least else ""


def _is_contiguous(case: Case) -> bool:
    return set(case.layout.split(",")) <= _CONTIGUOUS


def _alias(bench: Bench, drawn: Drawn, alias: str) -> str:
    kind, position = alias.split(" ")[:2]
    if kind == "input":
        names = tensor_names(bench.exercise.parameters, drawn.arguments)
        index = int(position)
        return f"the argument {names[index]}" if index < len(names) else "an argument"
    return "the result of another call"


def _only_layouts(bench: Bench, wrong: list[Case]) -> str:
    contiguous = any(_is_contiguous(run.case) for run in bench.runs())
    if contiguous and not any(map(_is_contiguous, wrong)):
        return " Every case with contiguous inputs is right."
    return ""
