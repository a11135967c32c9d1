"""Attacks on what lies outside a worker: each is Python text in a confined worker of its own."""

from __future__ import annotations

from grader.judge import Judge
from grader.judge.faults import EnvironmentFault, WorkerLostError
from grader.judge.observation import parse_error, parse_value
from grader.judge.processes import Nursery, Worker
from grader.judge.protocol import Frame
from tests.attacks.attack import Attack
from tests.attacks.ground import Ground

_SECONDS = 20.0
_COUNTED = """

def counted():
    return int(attempt() or 0)
"""


def attempt(attack: Attack, judge: Judge, ground: Ground) -> tuple[list[str], str]:
    """Run an attack; return what it got, and what was seen of it."""
    nursery = judge._nursery("sim")
    bystander = nursery.fork()
    before = ground.state()
    worker = nursery.fork()
    try:
        got, seen = _outcome(worker, ground.filled_in(attack.text))
    finally:
        worker.end()
    if not _is_well(nursery, bystander):
        got.append("another worker, or the parent of both")
    return got + ground.losses(before), seen


def _outcome(worker: Worker, text: str) -> tuple[list[str], str]:
    try:
        defined = worker.ask(Frame({"op": "define", "python": text + _COUNTED}), _SECONDS)
        if error := parse_error(defined.header.get("error")):
            return [], f"{error.type}: {error.message}"
        reply = worker.ask(Frame({"op": "value", "target": "answer.counted", "arguments": []}), _SECONDS)
    except WorkerLostError as loss:
        return [], f"the worker {loss.what}"
    seen = parse_value(reply)
    if seen.error:
        return [], f"{seen.error.type}: {seen.error.message}"
    return ([f"it returned {seen.value}"] if seen.value != 0 else []), "it got nothing and said so"


def _is_well(nursery: Nursery, bystander: Worker) -> bool:
    """Whether a worker that ran beside the attack still answers, and another can be had."""
    request = Frame({"op": "define", "python": "def f():\n    return 7\n"})
    try:
        for worker in (bystander, nursery.fork()):
            worker.ask(request, _SECONDS)
            worker.end()
    except (WorkerLostError, EnvironmentFault):
        return False
    return True
