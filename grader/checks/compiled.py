"""`compile`: under `torch.compile(fullgraph=True)` values and gradients are the same, in one graph.

The compiled calls have shapes that change from one to the next.  The judge compares what they return with the
reference, and sees the operator itself among the nodes of the graphs: a graph break raises.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.checks.close import call_problem
from grader.checks.gradients import GradientRun, Situation, declared, flags_of
from grader.exercise import Case
from grader.judge import messages
from grader.judge.observation import ErrorSeen
from grader.judge.protocol import Step

_ADVICE = ("backend=", "Set TORCH", "You can suppress", "import torch", "Hint: see https:")
"""How the lines begin that tell of verbose logs, and not of the answer."""
_EMPTY = ("", "Explanation:")
_SHOWN = 300


@dataclass(frozen=True)
class Compile(Check):
    """One graph.  See the module."""

    cases: tuple[Case, ...] = ()
    name = "compile"
    needs_values = True

    def run(self, bench: Bench) -> Finding:
        """Report the first call, or gradient, that is not what it is without the compiler."""
        problem = self._forward(bench) or self._backward(bench)
        return failed(f"{bench.exercise.answer.called}, compiled: {problem}") if problem else PASSED

    def _forward(self, bench: Bench) -> str | None:
        answer = bench.exercise.answer
        drawn = [bench.draw(case, "compiled") for case in self.cases]
        seen = bench.observe(Step(answer.entry, tuple(one.arguments for one in drawn), compiled=True))
        if seen.error:
            return _told(seen.error, drawn[seen.error.call].case)
        if not any(name.startswith(answer.called.replace("::", ".")) for name in seen.operators):
            held = ", ".join(dict.fromkeys(seen.operators)) or "nothing"
            return f"the graph does not hold the operator, but {held}."
        for call, one in zip(seen.calls, drawn, strict=True):
            problem = call_problem(bench, call, one, f"{bench.kind}:0")
            if problem:
                return problem
        return None

    def _backward(self, bench: Bench) -> str | None:
        gradients = declared(bench)
        if gradients is None:
            return None
        case = bench.sized(self.cases[-1])
        drawn = bench.draw(case, "compiled, backward")
        incoming = bench.random("compiled, incoming").normal(drawn.expected.shape, dtype=case.dtype)
        flags = flags_of(drawn.arguments)
        step = Step(
            bench.exercise.answer.entry,
            (drawn.arguments,),
            differentiate=flags,
            gradient=incoming,
            compiled=True,
        )
        seen = bench.observe(step)
        if seen.error:
            return f"with gradients, {_told(seen.error, case)}"
        return gradients.problem(bench, GradientRun(Situation(case), (drawn,), incoming, flags, step, seen))


def _told(error: ErrorSeen, case: Case) -> str:
    """Return the compiler's own words, without its advice on verbose logs."""
    lines = [line.strip() for line in messages.untraced(error.message).splitlines()]
    wanted = (line for line in lines if line not in _EMPTY and not line.startswith(_ADVICE))
    said = " ".join(wanted)[:_SHOWN]
    return f"{error.type}{messages.located(messages.case_text(case))}: {messages.sentence(said)}"
