"""`traffic`: kernels read each argument once, write the result once, and touch hardly anything besides.

What is counted is unique bytes: each byte of an allocation once for each launch that reads it, and once for
each that writes it.  Reading a row again in the same kernel is free, as it comes from a cache; a scratch row
in global memory, or a second kernel that reads what the first has read, is not.  The simulator counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed, tensors
from grader.exercise import Case
from grader.judge import messages
from grader.judge.protocol import Step
from grader.verdict import Outcome

_ALLOWED = 1.15
"""Times the least bytes.  On an H200 one pass was measured at 0.95 of them, a scratch row at 1.54."""
_UNCOUNTED = Finding(Outcome.NOT_RUN, "Not counted: no kernel reads and writes everything here yet.")


@dataclass(frozen=True)
class Traffic(Check):
    """Bytes.  See the module."""

    cases: tuple[Case, ...] = ()
    """Dense cases, large enough that arguments outweigh a few words a row."""
    name = "traffic"
    on_sim = True

    def run(self, bench: Bench) -> Finding:
        """Report the first case that moves more than it has to."""
        for case in self.cases:
            drawn = bench.draw(case, "traffic")
            seen = bench.observe(Step(bench.exercise.answer.entry, (drawn.arguments,), profile=True))
            read = sum(one.numel() * one.element_size() for one in tensors(drawn.arguments))
            least = read + drawn.expected.numel() * case.dtype.itemsize
            moved = sum(count for one in seen.launches if isinstance(count := one.get("bytes"), int))
            if seen.error or moved < least:
                return _UNCOUNTED
            if moved > _ALLOWED * least:
                where = messages.located(messages.case_text(bench.sized(case)))
                return failed(
                    f"{bench.exercise.answer.called}{where}: kernels moved {moved} bytes, "
                    f"{moved / least:.2f} times the {least} of reading each argument and writing the result "
                    "once. Keep what is needed again in registers or shared memory, or read the argument "
                    "twice in one kernel."
                )
        return PASSED
