"""Try one part after another on a machine where nothing has been tried; say how far it got, and how fast."""

from __future__ import annotations

import functools
import json
import time
import traceback
from collections.abc import Callable
from typing import Any

from grader.agreement.corpus import Submission
from grader.agreement.lanes import Lane, Task, judged_by
from grader.agreement.machine import describe


def preflight(corpus: tuple[Submission, ...], devices: tuple[str, ...], seed: int) -> bool:
    """Build the runtime, judge a right and a wrong submission on each device; return whether all worked."""
    steps: list[tuple[str, Callable[[], Any]]] = [("machine", describe), ("simulator runtime", _runtime)]
    lane = Lane()
    for device in devices:
        for submission in _samples(corpus):
            action = functools.partial(_judged, lane, Task(submission, device, seed))
            steps.append((f"{submission.name} on {device}", action))
    outcomes = [_step(name, action) for name, action in steps]
    lane.close()
    return all(outcomes)


def _samples(corpus: tuple[Submission, ...]) -> list[Submission]:
    first = corpus[0].exercise
    right = next(entry for entry in corpus if entry.exercise == first and entry.check is None)
    wrong = next(entry for entry in corpus if entry.exercise == first and entry.check == "stream_race")
    return [right, right, wrong]


def _runtime() -> str:
    from grader.toolchain.runtime import ensure

    return str(ensure())


def _judged(lane: Lane, task: Task) -> str:
    result = judged_by(lane, task, {}, limit=400.0)
    if result.verdict is None:
        raise RuntimeError(result.error)
    said = {name: result.message(name) for name in result.checks if result.message(name)}
    text = json.dumps(
        {"seconds": result.verdict["seconds"], "checks": result.checks, "messages": said}, indent=1
    )
    if not result.is_as_promised(task.submission):
        raise RuntimeError(f"{result.outcome}: {result.verdict['message']}\n{text}")
    return text


def _step(name: str, action: Callable[[], Any]) -> bool:
    print(f"== {name}", flush=True)
    began = time.monotonic()
    try:
        result = action()
    except Exception:
        traceback.print_exc()
        print(f"== {name}: FAILED after {time.monotonic() - began:.1f} s", flush=True)
        return False
    print(result if isinstance(result, str) else json.dumps(result, indent=1))
    print(f"== {name}: ok, {time.monotonic() - began:.1f} s", flush=True)
    return True
