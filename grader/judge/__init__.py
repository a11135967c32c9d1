"""The trusted side: from the text of an answer to a verdict."""

from __future__ import annotations

from grader.judge.answer import Answer
from grader.judge.faults import EnvironmentFault
from grader.judge.session import Judge
from grader.verdict import Verdict

__all__ = ["Answer", "EnvironmentFault", "Judge", "judge"]


def judge(exercise_id: str, answer: Answer, device: str = "auto", seed: int | None = None) -> Verdict:
    """Judge one answer with processes of its own.  For several, `Judge` keeps them warm."""
    with Judge() as session:
        return session.judge(exercise_id, answer, device, seed)
