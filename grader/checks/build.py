"""`build`: the answer compiles, loads, and defines the functions that the exercise names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.exercise import Files, Operator, Python
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import ErrorSeen

_WANTED = {"tensor": "a tensor", "tuple": "a tuple of tensors", "in place": "nothing"}
"""How messages name what a call should give."""


@dataclass(frozen=True)
class Build(Check):
    """Compiling and loading.  Without it nothing else can be seen."""

    points: int = 0
    name = "build"
    vacuous_without_values = False

    def run(self, bench: Bench) -> Finding:
        """Report the first compiler error, a failed import, or a missing function."""
        if isinstance(bench.exercise.answer, Python):
            return self._loaded(bench) or PASSED
        return self._compiled(bench) or self._loaded(bench) or self._callable(bench) or PASSED

    def _compiled(self, bench: Bench) -> Finding | None:
        built = bench.built
        if not built.ok:
            return failed(built.message, built.where, built.details)
        answer = bench.exercise.answer
        if answer.function and answer.function not in built.functions:
            text = messages.signature(
                answer.function, answer.signature, built.functions, "host function to call"
            )
            return failed(text)
        return None

    def _callable(self, bench: Bench) -> Finding | None:
        """See whether the function takes the arguments that the exercise names."""
        answer = bench.exercise.answer
        seen = bench.runs()[0].seen
        if isinstance(seen, WorkerLostError):
            return None
        if seen.error and _is_unbindable(seen.error):
            said = " ".join(seen.error.message.split())[:300]
        elif seen.error is None and seen.calls[0].structure != bench.exercise.structure:
            said = f"It returned {seen.calls[0].structure}, not {_WANTED[bench.exercise.structure]}."
        else:
            return None
        expected = answer.python_signature if answer.needs_python else answer.signature
        return failed(f"`{answer.called}` has another signature than `{expected}`. {said}")

    def _loaded(self, bench: Bench) -> Finding | None:
        answer = bench.exercise.answer
        error, functions = bench.loaded()
        if error:
            return failed(messages.unloaded(error))
        if isinstance(answer, Operator):
            return _registered(answer, functions)
        if isinstance(answer, Files):
            names = [one.removeprefix("package.") for one in functions if one.startswith("package.")]
            wrong = answer.exported not in names
            text = messages.signature(
                answer.exported, answer.signature, names, f"function in {answer.module}"
            )
            return failed(text) if wrong else None
        wanted = answer.names if isinstance(answer, Python) else (answer.called,) * answer.needs_python
        for name in wanted:
            if f"answer.{name}" not in functions:
                defined = [one.split(".")[1] for one in functions if one.startswith("answer.")]
                others = [one for one in defined if one not in wanted]
                return failed(
                    messages.signature(name, answer.python_signature, others, "other function or dict")
                )
        return None


def _registered(answer: Operator, functions: Sequence[str]) -> Finding | None:
    """See whether the compiled module registered the operator."""
    if answer.entry in functions:
        return None
    names = [one.removeprefix("ops.") for one in functions if one.startswith("ops.")]
    told = messages.signature(answer.operator, answer.schema, names, "operator that the CUDA cell registers")
    return failed(f"{told} Define it in a TORCH_LIBRARY block of the CUDA cell.")


def _is_unbindable(error: ErrorSeen) -> bool:
    words = ("incompatible function arguments", "positional argument")
    return (
        error.phase == "call" and error.type == "TypeError" and any(word in error.message for word in words)
    )
