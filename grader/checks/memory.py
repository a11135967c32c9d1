"""`memory`: every access is inside its tensor, aligned and initialised, and all memory is PyTorch's.

The evidence comes from the simulator on both devices: a GPU's caching allocator hides these faults.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed, observations
from grader.checks.evidence import all_reports, first_report
from grader.judge import messages
from grader.judge.observation import Observation
from grader.judge.protocol import Step

KINDS = (
    "out_of_bounds", "uninitialised_read", "misaligned", "use_after_free", "double_free", "illegal_address",
    "host_access", "copy_direction", "leak", "raw_allocation", "array_bounds",
)  # fmt: skip
UNDEFINED = frozenset(KINDS) - {"leak", "raw_allocation"} | {"data_race"}
"""After one of these, values mean nothing."""
_WARM, _MANY = 2, 8


@dataclass(frozen=True)
class Memory(Check):
    """Accesses and allocations.  See the module."""

    name = "memory"
    on_sim = True

    def run(self, bench: Bench) -> Finding:
        """Report the first fault, then memory that grows from call to call."""
        found = first_report(bench, all_reports(bench), KINDS)
        return found or _growth(bench) or PASSED


def _growth(bench: Bench) -> Finding | None:
    """Call often: what the first calls keep may be a workspace, what every call keeps is a leak."""
    if not any(seen.error is None for _, seen in observations(bench)):
        return None
    seen = [_called(bench, calls) for calls in (_WARM, _MANY, 1)]
    if any(one.error for one in seen):
        # A worker that failed is replaced, and the new one has other memory.
        return None
    grown = seen[2].bytes_before - seen[1].bytes_before
    if grown <= 0:
        return None
    function, where = (
        bench.exercise.answer.called,
        messages.located(messages.case_text(bench.exercise.cases[0])),
    )
    return failed(
        f"{function} kept {grown} bytes of device memory over {_MANY} calls{where}. "
        "Let the memory be freed with its tensor.",
        details=[{"kind": "leak", "bytes": grown}],
    )


def _called(bench: Bench, calls: int) -> Observation:
    """Call so many times, measuring the device memory that was in use before that."""
    drawn = [bench.draw(bench.exercise.cases[0], "memory", str(n)).arguments for n in range(calls)]
    return bench.observe(Step(bench.exercise.answer.entry, tuple(drawn), measure=True))
