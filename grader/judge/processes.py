"""The judge's ends of the nursery and of workers: starting, asking under a deadline, ending."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.judge import leavings
from grader.judge.confinement import Policy, for_worker, limits, namespaces
from grader.judge.faults import EnvironmentFault, NurseryLostError, WorkerLostError
from grader.judge.nursery import MESSAGE_BYTES

if TYPE_CHECKING:
    from grader.judge.protocol import Frame

_START_SECONDS = 180.0
_CONTROL_SECONDS = 10.0
_OUTPUT_SHOWN = 2000
_REPORT_BYTES = 1 << 20
_REMEDY = "Check again; if this stays, run `grader setup` and read what it says."
_KEPT_VARIABLES = (
    "PATH", "LANG", "LC_ALL", "GRADER_CACHE", "XDG_CACHE_HOME", "HOME", "LD_LIBRARY_PATH", "PYTHONPATH",
    "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "VIRTUAL_ENV",
)  # fmt: skip


class Worker:
    """One forked worker.  Ends with its process group, whatever it is doing."""

    def __init__(self, nursery: Nursery, pid: int, end: socket.socket, output: int, crash: int) -> None:
        """Take over the judge's end of the worker's socket, and the files of its output and last reports."""
        self._nursery, self._pid, self._socket = nursery, pid, end
        self._output, self._crash = output, crash
        self._connection = Connection(os.dup(end.fileno()))
        self._timed_out = False
        self.alive = True

    def ask(self, frame: Frame, seconds: float) -> Frame:
        """Send a request and return the reply; else end the worker and raise `WorkerLostError`."""
        from grader.judge import protocol

        try:
            with self._deadline(seconds):
                protocol.send(self._connection, frame)
                return protocol.receive(self._connection)
        except protocol.ProtocolError as error:
            if self._timed_out:
                raise self._lost(seconds) from error
            self.end()
            raise WorkerLostError("malformed", f"sent a malformed message ({error})") from error
        except (EOFError, OSError) as error:
            raise self._lost(seconds) from error

    @contextlib.contextmanager
    def _deadline(self, seconds: float) -> Iterator[None]:
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _expire(self) -> None:
        """Cut the socket: a blocked read ends even where a stray process keeps the other end open."""
        self._timed_out = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _lost(self, seconds: float) -> WorkerLostError:
        if self._timed_out:
            self.end()
            return WorkerLostError("time-out", f"did not finish within {seconds:g} s")
        try:
            status = self._nursery.reap(self._pid)
        except EnvironmentFault:
            self.end(reaped=True)
            raise
        said, reports = _tail(self._output, _OUTPUT_SHOWN), self._last_reports()
        self.end(reaped=True)
        return WorkerLostError(*_death(status), said, reports)

    def _last_reports(self) -> tuple[dict[str, Any], ...]:
        """Return the reports that the simulator wrote while the process died."""
        from grader.judge.protocol import ProtocolError
        from grader.judge.reported import reported

        try:
            reports = json.loads(_tail(self._crash, _REPORT_BYTES) or "[]")
            return tuple(reported(one) for one in reports) if isinstance(reports, list) else ()
        except (ValueError, RecursionError, ProtocolError):
            return ()

    def bring(self, path: str) -> str:
        """Return where the worker finds a file: a confined one gets a copy in its scratch."""
        if not self._nursery.confined:
            return path
        return self._nursery.bring(self._pid, path)

    def end(self, reaped: bool = False) -> None:
        """Have the worker killed, with all that it started and wrote.  Safe to call twice."""
        if not self.alive:
            return
        self.alive = False
        if not reaped:
            with contextlib.suppress(EnvironmentFault):
                self._nursery.reap(self._pid, kill=True)
        self._connection.close()
        self._socket.close()
        os.close(self._output)
        os.close(self._crash)


class Nursery:
    """A nursery process for one kind of device."""

    def __init__(self, kind: str, confined: bool = False) -> None:
        """Start the process; it imports torch while the caller does something else.

        `confined` workers reach nothing but what `confinement.for_worker` grants.
        """
        self.kind, self.confined = kind, confined
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._temporary: Path | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the nursery)
        prefix: list[str] = []
        if confined and namespaces.available():
            prefix = namespaces.command(self._granted(), devices=kind == "cuda")
        else:
            self._temporary = Path(tempfile.mkdtemp(prefix="grader-nursery-"))
        environment = _environment(kind) | {"TMPDIR": str(self._temporary or namespaces.TEMPORARY)}
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "grader.judge.nursery", kind, str(theirs.fileno())],
            pass_fds=(theirs.fileno(),), env=environment, stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=self._log, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self._ready = False

    def fork(self, in_order: bool = True) -> Worker:
        """Return a new worker; raise `EnvironmentFault` if there can be none.

        `in_order` asks a GPU to finish each launch before the next; the simulator is told at each step.
        """
        self._wait_until_ready()
        output, crash = _unnamed_file(), _unnamed_file()
        ours, theirs = socket.socketpair()
        request = {
            "op": "fork",
            "in_order": in_order,
            "policy": self._granted().to_json() if self.confined else None,
            "data_bytes": limits.worker_bytes() if self.kind == "sim" else None,
        }
        try:
            with theirs:
                reply = self._ask(request, [theirs.fileno(), output, crash])
        except EnvironmentFault:
            ours.close()
            os.close(output)
            os.close(crash)
            raise
        return Worker(self, reply["pid"], ours, output, crash)

    def _granted(self) -> Policy:
        from grader.toolchain import runtime

        found = runtime.ensure()
        return for_worker((found.directory, found.headers), self.kind)

    def bring(self, pid: int, path: str) -> str:
        """Return where a worker finds a copy of this file."""
        with open(path, "rb") as file:
            request = {"op": "bring", "pid": pid, "name": os.path.basename(path)}
            return str(self._ask(request, [file.fileno()])["path"])

    def reap(self, pid: int, kill: bool = False) -> int | None:
        """Return the wait status of a worker that has ended, or is to be ended."""
        status = self._ask({"op": "reap", "pid": pid, "kill": kill}, [])["status"]
        return status if isinstance(status, int) else None

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the nursery and, through the parent-death signal, every worker."""
        self._control.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        if self._temporary is not None:
            leavings.remove(self._temporary)

    def _wait_until_ready(self) -> None:
        if self._ready:
            return
        message = self._receive(_START_SECONDS)
        if "ready" not in message:
            failure = message.get("failure", "no reason given")
            raise EnvironmentFault(f"The {self.kind} worker could not start: {failure}. {_REMEDY}")
        self._ready = True

    def _ask(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], descriptors)
        except OSError as error:
            raise self._gone() from error
        return self._receive(_CONTROL_SECONDS)

    def _receive(self, seconds: float) -> dict[str, Any]:
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(MESSAGE_BYTES)
        except OSError as error:
            raise self._gone() from error
        if not data:
            raise self._gone()
        message: dict[str, Any] = json.loads(data)
        return message

    def _gone(self) -> EnvironmentFault:
        """End the process, if it is there: a reply that is late must not be taken for the next one's."""
        self._process.kill()
        self._process.wait()
        self._log.seek(0)
        said = self._log.read()[-_OUTPUT_SHOWN:].decode(errors="replace").strip()
        fault = NurseryLostError if self._ready else EnvironmentFault
        last = said.split("\n")[-1] or "It said nothing"
        return fault(f"The process that starts {self.kind} workers has ended: {last}. {_REMEDY}")


def _unnamed_file() -> int:
    """Return a descriptor that appends to a file without a name."""
    descriptor, name = tempfile.mkstemp(prefix="grader-output-")
    os.unlink(name)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return descriptor


def _tail(descriptor: int, size: int) -> str:
    """Return the last bytes of a file."""
    end = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, max(0, end - size)).decode(errors="replace")


def _environment(kind: str) -> dict[str, str]:
    """Return the little that workers see of the judge's environment."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    kept |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    library = _system_libstdcxx() if kind == "cuda" else None
    return kept | ({"LD_PRELOAD": library} if library else {})


def _system_libstdcxx() -> str | None:
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    command = [compiler, "-print-file-name=libstdc++.so.6"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return os.path.realpath(found) if os.path.isabs(found) else None


def _death(status: int | None) -> tuple[str, str]:
    """Return the reason of a `WorkerLostError` and what happened, from a wait status."""
    if status is None:
        return "exit", "ended without a result"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        reason = "abort" if number == signal.SIGABRT else "crash"
        return reason, f"crashed ({signal.Signals(number).name}: {signal.strsignal(number)})"
    return "exit", f"ended the process itself (exit status {os.WEXITSTATUS(status)})"
