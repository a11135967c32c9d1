"""The warm parent of workers: imports torch and the device's runtime once, then forks on request.

`python -m grader.judge.nursery KIND FD`.  It runs no answer, knows no exercise, and initialises no GPU.
Requests and replies are JSON messages on the sequenced-packet socket FD; a fork request carries three
descriptors: the worker's end of its socket, the file that gets its standard output and error, and the file
that gets the simulator's reports if the worker crashes.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from grader.judge import leavings
from grader.judge.confinement import Policy, confine, limits, seal

MESSAGE_BYTES = 65536
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SWEEPS = 200
_REAP_SECONDS = 3.0
_LOOK_SECONDS = 0.5
_SCRATCH_BYTES = 256 << 20
_HIGHEST_DESCRIPTOR = 4096


def main(arguments: list[str]) -> int:
    """Serve fork and reap requests until the judge hangs up."""
    kind, descriptor = arguments
    control = socket.socket(fileno=int(descriptor))
    try:
        device = _prepare(kind)
    except Exception as error:
        _send(control, {"failure": f"{type(error).__name__}: {error}"[:4000]})
        return 1
    gc.freeze()
    # What a worker leaves behind becomes a child of this process, and can be found.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _send(control, {"ready": kind})
    while True:
        if _workers and not select.select([control], [], [], _LOOK_SECONDS)[0]:
            _oversee()
            continue
        data, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, 3)
        if not data:
            leavings.remove(Path(tempfile.gettempdir()))
            return 0
        _send(control, _handle(json.loads(data), descriptors, control, device))


def _oversee() -> None:
    """End a worker that fills its scratch: the limit on one file says nothing of their number."""
    for pid, scratch in _workers.items():
        if leavings.is_more_than(scratch, _SCRATCH_BYTES):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)


def _prepare(kind: str) -> Any:
    _require_preload()
    # What is imported here need not be imported by each worker, and could not be by a confined one.
    for name in ("simulator.symbols", "toolchain.loading", "toolchain.runtime", "judge.worker.program"):
        import_module(f"grader.{name}")
    from grader.judge.worker.devices import device_of

    device = device_of(kind)
    device.prepare()
    return device


def _require_preload() -> None:
    """Check that the libstdc++ asked for in LD_PRELOAD is the one in use.

    Extensions export copies of libstdc++'s symbols; unless the library itself comes first, a number in an
    error message crashes the process, and right answers look like crashes.
    """
    wanted = os.environ.get("LD_PRELOAD")
    if not wanted:
        return
    with open("/proc/self/maps") as maps:
        if not any(os.path.realpath(wanted) in line for line in maps):
            raise RuntimeError(f"{wanted} could not be preloaded")


def _handle(
    request: dict[str, Any], descriptors: list[int], control: socket.socket, device: Any
) -> dict[str, Any]:
    try:
        if request["op"] == "reap":
            return {"status": _end(request["pid"], request["kill"])}
        if request["op"] == "bring":
            return {"path": _brought(request, descriptors[0])}
        return {"pid": _fork(request, descriptors, control, device)}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _fork(request: dict[str, Any], descriptors: list[int], control: socket.socket, device: Any) -> int:
    request["scratch"] = tempfile.mkdtemp(prefix="grader-worker-")
    pid = os.fork()
    if pid == 0:
        _become_worker(request, descriptors, control, device)
    _workers[pid] = Path(request["scratch"])
    return pid


def _brought(request: dict[str, Any], source: int) -> str:
    """Copy a file into a worker's scratch: it may not see the original's directory."""
    path = _workers[request["pid"]] / request["name"]
    with open(path, "xb") as target, open(source, "rb", closefd=False) as file:
        shutil.copyfileobj(file, target)
    return str(path)


def _end(pid: int, kill: bool) -> int | None:
    """Return the wait status of a worker that is ending, or is to be killed, once nothing is left of it."""
    if kill:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    status = _reap(pid)
    scratch = _workers.pop(pid, None)
    _sweep()
    remover = None if scratch is None else leavings.remove(scratch)
    if remover is not None:
        _removers[remover.pid] = remover
    return status


_workers: dict[int, Path] = {}
"""Each worker's scratch."""
_removers: dict[int, subprocess.Popen[bytes]] = {}


def _sweep() -> None:
    """End every process that a worker left behind, in whatever session or group it hides.

    One that forks on while it is being looked for loses in the end: each round kills all that stand still.
    """
    for _ in range(_SWEEPS):
        for remover in list(_removers.values()):
            if remover.poll() is not None:
                del _removers[remover.pid]
        strays = _children() - _workers.keys() - _removers.keys()
        if not strays:
            return
        for pid in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> set[int]:
    return {int(word) for task in Path("/proc/self/task").iterdir() for word in _words(task / "children")}


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


def _reap(pid: int) -> int | None:
    """Return the wait status of a worker that is ending; end it if it does not."""
    deadline = time.monotonic() + _REAP_SECONDS
    while time.monotonic() < deadline:
        try:
            found, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return None
        if found:
            return status
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _become_worker(
    request: dict[str, Any], descriptors: list[int], control: socket.socket, device: Any
) -> NoReturn:
    """Narrow this process down to one worker and serve; never return to the nursery's loop."""
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        control.detach()
        connection, crash = _move_descriptors(descriptors)
        device.begin_worker(crash, request["in_order"])
        limits.limit_worker(request["data_bytes"])
        os.chdir(request["scratch"])
        # Without a name here, programs ask the password file, which a confined worker cannot read.
        os.environ.update(HOME=request["scratch"], TMPDIR=request["scratch"], USER="learner")
        tempfile.tempdir = request["scratch"]
        confined = request["policy"] is not None
        if confined:
            limits.limit_confined()
            confine(Policy.from_json(request["policy"]).and_write(Path(request["scratch"])))
        from grader.judge.worker.program import serve

        serve(Connection(connection), device, _sealing(device) if confined else None)
        os._exit(0)
    except BaseException as error:
        os.write(2, f"worker: {type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(70)


def _sealing(device: Any) -> Callable[[], None]:
    def act() -> None:
        device.before_seal()
        seal(device.kind)

    return act


def _move_descriptors(descriptors: list[int]) -> tuple[int, int]:
    """Keep the worker's socket and crash file; standard input is nothing, output and error the given file."""
    connection, output, crash = descriptors
    nothing = os.open(os.devnull, os.O_RDONLY)
    first = max(connection, output, crash, nothing, 10) + 1
    kept = (os.dup2(connection, first, inheritable=False), os.dup2(crash, first + 1, inheritable=False))
    for target, source in ((0, nothing), (1, output), (2, output)):
        os.dup2(source, target)
    os.closerange(3, first)
    os.closerange(first + 2, _HIGHEST_DESCRIPTOR)
    return kept


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    control.send(json.dumps(message).encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
