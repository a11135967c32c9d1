"""`opcheck`: PyTorch's own tests of an operator pass, and its fake kernel promises what the kernel gives.

`torch.library.opcheck` runs in the worker, since the registrations are there.  What the fake kernel promises
comes back as data, which the judge compares with what it knows the result to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.checks.gradients import flags_of
from grader.exercise import Case
from grader.judge import messages
from grader.judge.protocol import Step

_TESTS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
_ADVICE = {
    "test_schema": "The schema says what the operator changes and what its result shares with its arguments: "
    "it has to be true.",
    "test_autograd_registration": "Register the gradient at an autograd key, with "
    "torch.library.register_autograd, and not in the kernel.",
    "test_faketensor": "Register a fake kernel whose result has the shape, the strides, the dtype and the "
    "device of the kernel's.",
    "test_aot_dispatch_dynamic": "The fake kernel may look at shapes and dtypes, never at values, and the "
    "backward formula has to be made of operators that have fake kernels too.",
}
_VALUES = "A fake kernel sees shapes, strides, dtypes and devices, and never a value."
_SHOWN = 300


@dataclass(frozen=True)
class OpCheck(Check):
    """The operator's registrations.  See the module."""

    cases: tuple[Case, ...] = ()
    name = "opcheck"
    needs_values = True

    def run(self, bench: Bench) -> Finding:
        """Report the first test that fails."""
        for case in self.cases:
            for problem in self._problems(bench, case):
                return failed(f"{bench.exercise.answer.called}: {problem}")
        return PASSED

    def _problems(self, bench: Bench, case: Case) -> Iterator[str]:
        answer = bench.exercise.answer
        drawn = bench.draw(case, "opcheck")
        flags = flags_of(drawn.arguments)
        seen = bench.examine_operator(Step(answer.entry, (drawn.arguments,), differentiate=flags))
        where = messages.case_text(drawn.case)
        if seen.error:
            yield messages.exception("torch.library.opcheck", seen.error, where)
            return
        said = dict(seen.tests)
        for name in _TESTS:
            if name not in said:
                yield f"opcheck did not run {name}."
            elif said[name]:
                told = " ".join(messages.untraced(said[name]).split())[:_SHOWN].rstrip(".")
                yield f"opcheck's {name} fails ({where}): {told}. {_advice(name, told)}"
        right = (tuple(drawn.expected.shape), str(case.dtype).removeprefix("torch."))
        if (seen.shape, seen.dtype) != right:
            promised = f"{seen.dtype or 'nothing'} of shape {list(seen.shape)}"
            yield f"the fake kernel promises {promised}, not {right[1]} of shape {list(right[0])} ({where})."


def _advice(test: str, told: str) -> str:
    if "data-dependent" in told:
        return _VALUES
    return messages.backward_advice(told) or _ADVICE[test]
