"""Asking a judge that runs in a process beside this one: nothing an answer does can end this process."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from types import TracebackType

from grader.exercises import UnknownExerciseError
from grader.judge import confinement
from grader.judge.answer import Answer
from grader.judge.faults import EnvironmentFault
from grader.verdict import Verdict


class JudgeClient:
    """A judge process, started at once and restarted if it has died or was interrupted."""

    def __init__(self, device: str = "auto", sandbox: str = "none") -> None:
        """Start the process; it gets ready for `device` while the caller goes on.

        `sandbox` is one of `confinement.LEVELS`; raises `EnvironmentFault` where this machine has less.
        """
        confinement.resolve(sandbox)
        self._device, self._sandbox = device, sandbox
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._start()

    def __enter__(self) -> JudgeClient:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self.close()

    def judge(
        self, exercise_id: str, answer: Answer, device: str | None = None, seed: int | None = None
    ) -> Verdict:
        """Return the verdict; raise `UnknownExerciseError`, or `EnvironmentFault` if the judge failed."""
        request = {
            "exercise": exercise_id,
            "answer": dataclasses.asdict(answer),
            "device": device or self._device,
            "seed": seed,
        }
        reply = self._ask(json.dumps(request).encode())
        if "verdict" in reply:
            return Verdict.from_json(reply["verdict"])
        if reply["error"]["kind"] == "unknown_exercise":
            raise UnknownExerciseError(exercise_id)
        raise EnvironmentFault(reply["error"]["message"])

    def close(self) -> None:
        """End the process and its workers."""
        if self._connection:
            self._connection.close()
        if self._process:
            self._process.kill()
            self._process.wait()
        self._process = self._connection = None

    def _start(self) -> None:
        self.close()
        ours, theirs = socket.socketpair()
        command = [
            sys.executable,
            "-m",
            "grader.judge.server",
            str(theirs.fileno()),
            self._device,
            self._sandbox,
        ]
        self._process = subprocess.Popen(
            command, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, start_new_session=True
        )
        theirs.close()
        self._connection = Connection(ours.detach())

    def _ask(self, request: bytes) -> dict[str, dict[str, object]]:
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._connection is not None
        try:
            self._connection.send_bytes(request)
            return dict(json.loads(self._connection.recv_bytes()))
        except (EOFError, OSError) as error:
            self.close()
            raise EnvironmentFault(
                "The judge's process has ended; the next check starts a new one."
            ) from error
        except BaseException:
            # An interrupt leaves a reply under way, which must not be taken for the next one's.
            with contextlib.suppress(OSError):
                self.close()
            raise
