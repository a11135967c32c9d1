"""Building the CUDA source in a process of its own, while the judge and the nursery import torch."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from grader.judge.faults import EnvironmentFault

_SECONDS = {"sim": 180.0, "cuda": 600.0}
_REMEMBERED = 64

_built: dict[str, dict[str, Any]] = {}
"""What this process has built, by request: a judge that is kept warm is given the same source again."""


class Building:
    """A build under way.  The process reads a request as JSON and writes the result as JSON."""

    def __init__(self, request: dict[str, Any], confined: bool = False) -> None:
        """Start `python -m grader.toolchain`, unless this process has built the same before.

        `confined`, it reaches only what `for_build` grants.
        """
        self._device = request["device"]
        self._started = time.monotonic()
        self.seconds = 0.0
        self._request = json.dumps(request)
        self._result = _known(self._request)
        if self._result is None:
            self._start(confined)

    def _start(self, confined: bool) -> None:
        self._temporary = Path(tempfile.mkdtemp(prefix="grader-build-"))
        kept = {**_kept_environment(), **_told(self._device)} if confined else os.environ
        self._process = subprocess.Popen(
            self._command() if confined else [sys.executable, "-m", "grader.toolchain"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**kept, "TMPDIR": str(self._temporary)}, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdin
        self._process.stdin.write(self._request)
        self._process.stdin.close()
        self._process.stdin = None

    def _command(self) -> list[str]:
        from grader.judge.confinement import for_build, namespaces
        from grader.toolchain import cache

        policy = for_build(cache.root(), self._temporary)
        gpu = self._device == "cuda"
        prefix = namespaces.command(policy, devices=gpu, temporary=False) if namespaces.available() else []
        words = [sys.executable, "-m", "grader.judge.confinement", json.dumps(policy.to_json())]
        return [*prefix, *words, "grader.toolchain"]

    def result(self) -> dict[str, Any]:
        """Return the build's result; raise `EnvironmentFault` if the machine could not build."""
        if self._result is None:
            try:
                self._result = self._wait()
            finally:
                shutil.rmtree(self._temporary, ignore_errors=True)
            self.seconds = time.monotonic() - self._started
            _remember(self._request, self._result)
        return self._result

    def _wait(self) -> dict[str, Any]:
        limit = _SECONDS[self._device]
        try:
            output, said = self._process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.cancel()
            raise EnvironmentFault(
                f"Building did not finish within {limit:g} s. Check again when this machine has less to do."
            ) from None
        return _result(output, said)

    def cancel(self) -> None:
        """End the process if it still runs."""
        if self._result is not None:
            return
        if self._process.poll() is None:
            _kill_all(self._process)
        self._process.communicate()
        shutil.rmtree(self._temporary, ignore_errors=True)


def _known(request: str) -> dict[str, Any] | None:
    """Return an earlier result, if what it built is still there."""
    result = _built.get(request)
    return result if result and Path(result["library"]).exists() else None


def _remember(request: str, result: dict[str, Any]) -> None:
    """Keep what was built; errors are looked for anew, since a package or a file may have come meanwhile."""
    if result.get("ok") and result.get("library"):
        if len(_built) >= _REMEMBERED:
            del _built[next(iter(_built))]
        _built[request] = result


_KEPT = {
    "PATH", "LANG", "LC_ALL", "HOME", "XDG_CACHE_HOME", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH",
    "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CXX", "CC", "MAX_JOBS",
}  # fmt: skip
_KEPT_PREFIXES = ("GRADER_", "CUDA_", "NVCC_", "TORCH_")


def _kept_environment() -> dict[str, str]:
    """Return what a compiler needs to know, and none of the secrets that an environment may hold."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }  # fmt: skip


def _told(device: str) -> dict[str, str]:
    """Return what tells a build what the judge has found; what is missing, a build says itself."""
    from grader.toolchain import EnvironmentFault as Missing
    from grader.toolchain import machine

    try:
        return {machine.VARIABLE: machine.found(device)}
    except Missing:
        return {}


def _kill_all(process: subprocess.Popen[str]) -> None:
    """End a build and, with its session's first group, the launcher of its compilers."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _result(output: str, said: str) -> dict[str, Any]:
    try:
        result = json.loads(output)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        last = said.strip().split("\n")[-1] if said.strip() else "no message"
        raise EnvironmentFault(
            f"The toolchain gave no result: {last}. Check again; if this stays, run `grader setup`."
        )
    fault = result.get("fault")
    if fault:
        raise EnvironmentFault(str(fault))
    return result
