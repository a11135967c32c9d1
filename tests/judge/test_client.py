"""The judge beside a notebook: the same verdict through a process, which comes back after any death."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.exercises import UnknownExerciseError
from grader.judge import Answer, EnvironmentFault
from grader.judge.client import JudgeClient
from grader.verdict import Outcome

CORPUS = Path(__file__).parents[1] / "submissions/add_relu"


@pytest.fixture(scope="module")
def client() -> Iterator[JudgeClient]:
    """Give one client."""
    with JudgeClient("sim") as started:
        yield started


def test_verdict_and_details_arrive(client: JudgeClient) -> None:
    """A wrong answer's verdict arrives with the reports that pictures are made from."""
    answer = Answer((CORPUS / "wrong__memory__off_by_one_write.cu").read_text())
    verdict = client.judge("add_relu", answer)
    memory = next(check for check in verdict.checks if check.name == "memory")
    assert memory.verdict is Outcome.FAILED
    assert memory.details[0]["kind"] == "out_of_bounds"
    assert memory.details[0]["block"]


def test_lines_are_those_of_the_editor(client: JudgeClient) -> None:
    """With a cell magic above the source, lines count from the magic."""
    text = (CORPUS / "wrong__build__missing_semicolon.cu").read_text()
    first, second = (client.judge("add_relu", Answer(text, cuda_first_line=line)) for line in (1, 2))
    assert first.checks[0].where is not None
    assert second.checks[0].where is not None
    assert second.checks[0].where.line == first.checks[0].where.line + 1


def test_crashing_answer_leaves_the_judge_alive(client: JudgeClient) -> None:
    """An answer that kills its process costs its checks, and the next answer is judged as ever."""
    crash = client.judge(
        "add_relu", Answer((CORPUS / "wrong__close__null_pointer_on_the_host.cu").read_text())
    )
    assert "crashed" in next(check.message for check in crash.checks if check.name == "close")
    right = client.judge("add_relu", Answer((CORPUS / "right__current_stream_contiguous.cu").read_text()))
    assert right.passed


def test_unknown_exercise_is_raised_here(client: JudgeClient) -> None:
    """An unknown exercise raises on this side as the registry would."""
    with pytest.raises(UnknownExerciseError, match="add_relu"):
        client.judge("add_rleu", Answer("x"))


def test_dead_judge_comes_back(client: JudgeClient) -> None:
    """A judge that was killed is an environment fault at worst once, and back for the next check."""
    assert client._process is not None
    client._process.kill()
    client._process.wait()
    text = "// nothing yet\n"
    try:
        verdict = client.judge("add_relu", Answer(text))
    except EnvironmentFault:
        verdict = client.judge("add_relu", Answer(text))
    assert verdict.verdict is Outcome.NOT_ATTEMPTED
