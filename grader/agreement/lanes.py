"""Judge many submissions at once, each lane in its own process, none able to stop the others."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from grader.agreement.judgeable import Judgeable
from grader.agreement.results import Result


@dataclass(frozen=True)
class Task:
    """Judge one submission on one device."""

    submission: Judgeable
    device: str
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Return the line that a lane reads."""
        return {
            "exercise": self.submission.exercise,
            "cuda": self.submission.cuda,
            "files": self.submission.files,
            "python": self.submission.python,
            "device": self.device,
            "seed": self.seed,
        }


class Lane:
    """A judging process that is started when needed and replaced when it dies or takes too long."""

    def __init__(self, command: Iterable[str] = (sys.executable, "-m", "grader.agreement.lane")) -> None:
        """Remember how to start the process; nothing is started yet."""
        self._command = tuple(command)
        self._process: subprocess.Popen[str] | None = None

    def judge(self, task: Task, limit: float) -> dict[str, Any]:
        """Return the lane's reply; a reply with `error` if the process died or `limit` seconds passed."""
        process = self._running()
        late = threading.Timer(limit, process.kill)
        late.start()
        try:
            reply = _exchange(process, task)
        finally:
            late.cancel()
        if reply is not None:
            return reply
        status = self._end(patience=5.0)
        return {"error": f"the judging process ended with status {status} (limit {limit:.0f} s)"}

    def close(self) -> None:
        """End the process."""
        self._end(patience=10.0)

    def _end(self, patience: float) -> int:
        """Close the process's input, wait, kill it when patience is over; return its status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        if process.stdin:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
        return process.returncode

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is not None:
            self._end(patience=0.0)
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        return self._process


def _exchange(process: subprocess.Popen[str], task: Task) -> dict[str, Any] | None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(task.to_json()) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except BrokenPipeError:
        return None
    if not line.endswith("\n"):
        return None
    reply: dict[str, Any] = json.loads(line)
    return reply


def judge_all(
    tasks: Iterable[Task],
    machine: dict[str, str],
    *,
    jobs: int,
    limit: float,
    deadline: float,
    new_lane: Callable[[], Lane] = Lane,
) -> Iterator[Result]:
    """Yield results as they come.  Nothing is begun after `deadline` (monotonic); what runs then may end."""
    waiting = list(tasks)
    width = max(1, min(jobs, len(waiting)))
    todo: queue.SimpleQueue[Task] = queue.SimpleQueue()
    done: queue.SimpleQueue[Result | None] = queue.SimpleQueue()
    for task in waiting:
        todo.put(task)
    for _ in range(width):
        arguments = (todo, done, machine, limit, deadline, new_lane)
        threading.Thread(target=_drive, args=arguments, daemon=True).start()
    finished = 0
    while finished < width:
        result = done.get()
        if result is None:
            finished += 1
        else:
            yield result


def _drive(
    todo: queue.SimpleQueue[Task],
    done: queue.SimpleQueue[Result | None],
    machine: dict[str, str],
    limit: float,
    deadline: float,
    new_lane: Callable[[], Lane],
) -> None:
    lane = new_lane()
    try:
        while time.monotonic() < deadline:
            try:
                task = todo.get_nowait()
            except queue.Empty:
                break
            done.put(judged_by(lane, task, machine, limit))
    finally:
        lane.close()
        done.put(None)


def judged_by(lane: Lane, task: Task, machine: dict[str, str], limit: float) -> Result:
    """Return what a lane says about a submission, and how long that took."""
    began = time.monotonic()
    try:
        reply = lane.judge(task, limit)
    except Exception as error:
        reply = {"error": f"{type(error).__name__}: {error}"}
    return Result(
        name=task.submission.name,
        digest=task.submission.digest,
        device=task.device,
        machine=machine,
        verdict=reply.get("verdict"),
        error=reply.get("error", ""),
        seconds=round(time.monotonic() - began, 2),
    )
