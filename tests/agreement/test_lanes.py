"""Lanes judge at once, and none of them can stop the others."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from grader.agreement.corpus import Submission
from grader.agreement.lanes import Lane, Task, judge_all

ECHO = """
import json, os, sys, time
for line in sys.stdin:
    task = json.loads(line)
    if "die" in task["cuda"]:
        os._exit(3)
    if "hang" in task["cuda"]:
        time.sleep(60)
    verdict = {"verdict": "passed", "message": str(os.getpid()), "checks": []}
    print(json.dumps({"verdict": verdict}), flush=True)
"""


def lane() -> Lane:
    """Return a lane whose process passes everything but what tells it to die or to hang."""
    return Lane((sys.executable, "-c", ECHO))


def tasks(folder: Path, *bodies: str) -> list[Task]:
    """Return one task for each body of a source."""
    made = []
    for position, body in enumerate(bodies):
        path = folder / f"right__number_{position}.cu"
        path.write_text(body)
        made.append(Task(Submission("toy", path, None, "because"), "sim", 1))
    return made


def test_lane_that_dies_costs_its_own_submission_only(tmp_path: Path) -> None:
    """The submission that killed a lane is an error; those after it are judged by a new process."""
    results = list(
        judge_all(
            tasks(tmp_path, "a", "die", "b"),
            {},
            jobs=1,
            limit=20,
            deadline=time.monotonic() + 60,
            new_lane=lane,
        )
    )
    assert [result.outcome for result in results] == ["passed", "error", "passed"]
    assert "status 3" in results[1].error


def test_lane_that_hangs_is_ended_at_the_limit(tmp_path: Path) -> None:
    """A submission that outlasts the limit is an error and the next one is judged."""
    results = list(
        judge_all(
            tasks(tmp_path, "hang", "b"), {}, jobs=1, limit=0.5, deadline=time.monotonic() + 60, new_lane=lane
        )
    )
    assert [result.outcome for result in results] == ["error", "passed"]
    assert results[0].seconds < 20


def test_lanes_share_the_work(tmp_path: Path) -> None:
    """With two jobs no more than two processes judge, and each submission is judged once."""
    work = tasks(tmp_path, *"abcdef")
    results = list(judge_all(work, {}, jobs=2, limit=20, deadline=time.monotonic() + 60, new_lane=lane))
    assert sorted(result.name for result in results) == [task.submission.name for task in work]
    processes = {result.verdict["message"] for result in results if result.verdict}
    assert 1 <= len(processes) <= 2


def test_nothing_begins_after_the_deadline(tmp_path: Path) -> None:
    """When the time is used up the rest is left for the next run, without an error."""
    late = time.monotonic() - 1
    assert list(judge_all(tasks(tmp_path, "a"), {}, jobs=1, limit=20, deadline=late, new_lane=lane)) == []


def test_no_tasks_is_no_wait() -> None:
    """Judging nothing ends at once."""
    assert list(judge_all([], {}, jobs=4, limit=1, deadline=time.monotonic() + 1, new_lane=lane)) == []


def test_lane_answers_with_an_error_when_the_judge_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of the judge becomes an error for that task, not the end of the lane."""
    import io
    import json

    import grader.judge
    from grader.agreement.lane import serve

    class Broken:
        def __enter__(self) -> Broken:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def judge(self, *_: object, **__: object) -> None:
            raise RuntimeError("no such luck")

    monkeypatch.setattr(grader.judge, "Judge", Broken, raising=False)
    task = {"exercise": "toy", "cuda": "", "python": None, "device": "sim", "seed": 1}
    replies = io.StringIO()
    serve(io.StringIO(json.dumps(task) + "\n" + json.dumps(task) + "\n"), replies)
    answers = [json.loads(line) for line in replies.getvalue().splitlines()]
    assert len(answers) == 2
    assert all("no such luck" in answer["error"] for answer in answers)
