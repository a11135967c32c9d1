"""`one_kernel`: a call with dense arguments launches one kernel, and nothing else passes over memory.

Filling, copying and clearing count as passes too; allocating and viewing do not, nor does the copy that
`.contiguous()` makes of an argument which is not dense, since only dense cases are looked at.
The evidence comes from the simulator on both devices: it tells the answer's launches from PyTorch's.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.exercise import Case
from grader.judge import messages
from grader.judge.observation import Observation
from grader.judge.protocol import Step
from grader.verdict import Outcome

_FILLING = "zeros zeros_like new_zeros zero_ ones ones_like new_ones full full_like new_full fill_"
_COPYING = "clone copy_ _to_copy _copy_from _copy_from_and_resize"
PASSES = frozenset(f"{_FILLING} {_COPYING}".split())
"""Operators that write memory, each as a kernel or a copy would on a GPU."""
_UNSEEN = Finding(Outcome.NOT_RUN, "Not looked at: a dense call raises an exception.")
_ALLOCATE = "Allocate with torch::empty and let the kernel write every element."
_CONVERT = "Read the argument as it is, and convert in the kernel."


@dataclass(frozen=True)
class OneKernel(Check):
    """How often memory is passed over.  See the module."""

    cases: tuple[Case, ...] = ()
    """Dense cases, each called once."""
    name = "one_kernel"
    on_sim = True

    def run(self, bench: Bench) -> Finding:
        """Report the first case that takes more than one kernel, or none."""
        for case in self.cases:
            arguments = bench.draw(case, "one kernel").arguments
            seen = bench.observe(Step(bench.exercise.answer.entry, (arguments,), watch=True))
            if seen.error:
                return _UNSEEN
            problem = _problem(seen)
            if problem:
                lines = [launch.get("line") for launch in seen.launches]
                line = lines[-1] if len(lines) > 1 else None
                place = bench.place(line if isinstance(line, int) else None)
                where = messages.located(messages.case_text(bench.sized(case)))
                return failed(f"{bench.exercise.answer.called}{where}: {problem}", place)
        return PASSED


def _problem(seen: Observation) -> str | None:
    """Say what passes over memory besides one kernel, or return None."""
    if not seen.launches:
        return "no kernel was launched; exactly one was expected."
    if len(seen.launches) > 1:
        names = ", ".join(str(launch.get("kernel")) for launch in seen.launches)
        return (
            f"{len(seen.launches)} kernels were launched ({names}) where exactly one was expected. What one "
            "kernel leaves in memory the next has to read again: do both in one."
        )
    for operator in seen.operators:
        name = operator.partition("::")[2].split(".")[0]
        if name in PASSES:
            return (
                f"beside its one kernel the call ran {name}, which is a pass over memory of its own. "
                f"{_CONVERT if name in _COPYING.split() else _ALLOCATE}"
            )
    return None
