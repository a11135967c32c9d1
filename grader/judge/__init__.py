"""The trusted side: from the text of an answer to a verdict.

What is offered here is imported when it is first used: the parent of workers is part of this package too, and
must not bring an exercise into the process that it forks answers from.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.judge.answer import Answer
    from grader.judge.faults import EnvironmentFault
    from grader.judge.session import Judge
    from grader.verdict import Verdict

__all__ = ["Answer", "EnvironmentFault", "Judge", "judge"]

_FROM = {"Answer": "answer", "EnvironmentFault": "faults", "Judge": "session"}


def judge(exercise_id: str, answer: Answer, device: str = "auto", seed: int | None = None) -> Verdict:
    """Judge one answer with processes of its own.  For several, `Judge` keeps them warm."""
    from grader.judge.session import Judge

    with Judge() as session:
        return session.judge(exercise_id, answer, device, seed)


def __getattr__(name: str) -> Any:
    """Import a public name from where it is defined when it is first used."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"grader.judge.{_FROM[name]}"), name)
