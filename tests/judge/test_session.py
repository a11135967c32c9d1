"""Whose fault it is when the process that starts the workers ends."""

from __future__ import annotations

from pathlib import Path

from grader.judge import Answer, Judge
from grader.verdict import Outcome

_RIGHT = (Path(__file__).parents[1] / "submissions/add_relu/right__current_stream_contiguous.cu").read_text()
_KILLS = _RIGHT.replace("a = a.contiguous();", "kill(getppid(), SIGKILL); a = a.contiguous();", 1)


def test_an_answer_that_kills_the_parent_of_the_workers_gets_no_points(judge: Judge) -> None:
    """Ending the nursery avoids no mark, and the next answer is judged as ever."""
    verdict = judge.judge("add_relu", Answer("#include <csignal>\n#include <unistd.h>\n" + _KILLS), "sim")
    assert (verdict.verdict, verdict.score, verdict.max_score) == (Outcome.FAILED, 0.0, 10.0)
    assert "leave other processes alone" in verdict.message
    assert judge.judge("add_relu", Answer(_RIGHT), "sim").passed


def test_a_nursery_that_ends_once_costs_nothing(judge: Judge) -> None:
    """The machine may end a process: the answer is judged again in a new nursery."""
    assert judge.judge("add_relu", Answer(_RIGHT), "sim").passed
    judge._nurseries["sim"]._process.kill()
    assert judge.judge("add_relu", Answer(_RIGHT), "sim").passed
