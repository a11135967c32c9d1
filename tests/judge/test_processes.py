"""Workers that crash, hang or lie: each costs one attempt, is named, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.judge import protocol
from grader.judge.faults import EnvironmentFault, WorkerLostError
from grader.judge.observation import parse
from grader.judge.processes import Nursery, Worker
from grader.judge.protocol import Frame, ProtocolError, Step, encode_step

SECONDS = 5.0


class Impostor:
    """Stands in for a nursery: its worker is a Python program that speaks on descriptor 3."""

    def __init__(self, program: str, scratch: Path) -> None:
        """Start the program in a process group of its own."""
        self.ours, theirs = socket.socketpair()
        code = (
            f"import os, socket, struct, sys, time\nend = socket.socket(fileno={theirs.fileno()})\n{program}"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], pass_fds=(theirs.fileno(),), start_new_session=True
        )
        theirs.close()
        files = [os.open(scratch / name, os.O_CREAT | os.O_RDWR) for name in ("output", "crash")]
        self.worker = Worker(self, self.process.pid, self.ours, *files)  # type: ignore[arg-type]

    def reap(self, pid: int, kill: bool = False) -> int | None:
        """Return the wait status of the program, which is ended first if asked for."""
        if kill:
            self.process.kill()
        status = self.process.wait(timeout=10)
        return -status if status < 0 else status << 8


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Worker]]:
    """Give a function that starts a program as a worker; end what it started."""
    started: list[Impostor] = []

    def begin(program: str) -> Worker:
        scratch = tmp_path / str(len(started))
        scratch.mkdir()
        started.append(Impostor(program, scratch))
        return started[-1].worker

    yield begin
    for impostor in started:
        impostor.worker.end()
        impostor.process.wait(timeout=10)


def lost(worker: Worker, seconds: float = SECONDS) -> WorkerLostError:
    """Ask something, and return how the worker was lost."""
    with pytest.raises(WorkerLostError) as caught:
        worker.ask(Frame({"op": "run"}), seconds)
    assert not worker.alive
    return caught.value


def test_crash_names_the_signal(start: Callable[[str], Worker]) -> None:
    """A worker that dies by a signal is lost as a crash, and the signal is named."""
    loss = lost(start("end.recv(4); os.kill(os.getpid(), 11)"))
    assert loss.reason == "crash"
    assert "SIGSEGV" in loss.what


def test_abort_is_no_bad_pointer(start: Callable[[str], Worker]) -> None:
    """A worker that called abort() is told apart from one that the hardware stopped."""
    loss = lost(start("end.recv(4); os.abort()"))
    assert loss.reason == "abort"
    assert "SIGABRT" in loss.what


def test_exit_is_named(start: Callable[[str], Worker]) -> None:
    """A worker that ends itself is lost, whatever status it chose."""
    loss = lost(start("end.recv(4); os._exit(0)"))
    assert loss.reason == "exit"
    assert "exit status 0" in loss.what


def test_hang_ends_at_the_deadline(start: Callable[[str], Worker]) -> None:
    """A worker that does not answer is killed when its time is up."""
    began = time.monotonic()
    loss = lost(start("time.sleep(60)"), seconds=0.5)
    assert loss.reason == "time-out"
    assert time.monotonic() - began < 10


def test_half_a_frame_ends_at_the_deadline(start: Callable[[str], Worker]) -> None:
    """A worker that begins a frame and never ends it cannot hold the judge."""
    loss = lost(start("end.sendall(struct.pack('!i', 1000) + b'x'); time.sleep(60)"), seconds=0.5)
    assert loss.reason == "time-out"


def test_unread_request_ends_at_the_deadline(start: Callable[[str], Worker]) -> None:
    """A worker that does not read cannot hold the judge in its send."""
    worker = start("time.sleep(60)")
    with pytest.raises(WorkerLostError) as caught:
        worker.ask(Frame({"op": "run"}, (bytes(8 << 20),)), 0.5)
    assert caught.value.reason == "time-out"


@pytest.mark.parametrize(
    "program",
    [
        "end.sendall(struct.pack('!i', 5) + b'hello')",
        "end.sendall(struct.pack('!iQ', -1, 1 << 50))",
        "end.sendall(struct.pack('!i', 4) + struct.pack('!I', 4000000000))",
    ],
)
def test_lie_is_malformed(start: Callable[[str], Worker], program: str) -> None:
    """Garbage, and a frame that claims to be huge, are malformed: no credit, and the worker is ended."""
    assert lost(start(f"{program}; time.sleep(60)")).reason == "malformed"


def test_stray_child_does_not_hold_the_judge(start: Callable[[str], Worker]) -> None:
    """A child in another process group that keeps the socket open does not outlast the deadline."""
    program = "pid = os.fork()\nif pid == 0:\n    os.setsid(); time.sleep(5); os._exit(0)\nos._exit(3)"
    assert lost(start(program), seconds=1.0).reason in {"time-out", "crash"}


def test_ended_worker_is_gone(start: Callable[[str], Worker]) -> None:
    """Ending a worker kills its process."""
    worker = start("time.sleep(60)")
    worker.end()
    worker.end()
    with pytest.raises(ProcessLookupError):
        os.kill(worker._pid, 0)


GOOD: dict[str, Any] = {
    "error": None, "operators": [], "device_after": 0, "bytes_before": 0, "gradients": [],
    "gradient_after": None, "reports": [], "launches": [],
    "calls": [{"structure": "tensor", "outputs": [], "early": [], "inputs": []}],
}  # fmt: skip


def test_good_reply_is_parsed() -> None:
    """The reply that the lies below are made from is accepted."""
    assert parse(Frame(GOOD), 1).calls[0].structure == "tensor"


@pytest.mark.parametrize(
    "change",
    [
        {"calls": []},
        {"calls": None},
        {"calls": [3]},
        {
            "calls": [
                GOOD["calls"][0] | {"outputs": [{"data": {"dtype": "float32"}, "device": "x", "aliases": []}]}
            ]
        },
        {"calls": [GOOD["calls"][0] | {"outputs": [{"data": None, "device": 7, "aliases": []}]}]},
        {"error": "no"},
        {"error": {"phase": "call", "type": "E", "message": "m", "line": "7"}},
        {"reports": {}},
        {"reports": ["x"]},
        {"operators": [1]},
        {"bytes_before": -1},
        {"device_after": "0"},
        {"gradients": [1]},
        {"broken": "Traceback"},
        {"reports": [{}] * 100_001},
    ],
)
def test_lying_reply_is_refused(change: dict[str, Any]) -> None:
    """A reply with a wrong type anywhere is refused as a whole."""
    with pytest.raises(ProtocolError):
        parse(Frame(GOOD | change), 1)


def test_step_survives_the_wire() -> None:
    """What the judge asks is what the worker is asked."""
    step = Step("kernels.f", ((torch.ones(2),),), measure=True, watch=True)
    assert protocol.decode_step(encode_step(step)).measure


def test_broken_nursery_is_the_machines_fault() -> None:
    """A nursery that cannot start is an environment fault with its reason, not a wrong answer."""
    nursery = Nursery("sim")
    os.kill(nursery._process.pid, signal.SIGKILL)
    with pytest.raises(EnvironmentFault, match="run `grader setup`"):
        nursery.fork()
    nursery.close()
