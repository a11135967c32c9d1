"""A build that is told what the machine has finds the same, however little it may see."""

from __future__ import annotations

import os
import subprocess
import sys

from grader.toolchain import machine, runtime
from grader.toolchain.compiler import standard_library

_ASK = "from grader.toolchain import runtime, compiler; print(runtime.key(), compiler.standard_library())"


def _asked(**environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "HOME", "GRADER_CACHE") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", _ASK], env={**kept, **environment}, capture_output=True, text=True, check=False
    )


def test_what_is_told_is_not_looked_for() -> None:
    """Without any compiler in sight the runtime has the judge's name; not told, the build fails."""
    blind = {"PATH": "/nowhere"}
    assert "not on PATH" in _asked(**blind).stderr
    told = _asked(**blind, **{machine.VARIABLE: machine.found("sim")})
    assert told.stdout.split() == [runtime.key(), standard_library()], told.stderr


def test_other_facts_make_another_runtime() -> None:
    """What is told decides: the name of a runtime for another libstdc++ differs."""
    facts = machine.found("sim").replace(standard_library(), "-lother")
    name, library = _asked(PATH=os.environ["PATH"], **{machine.VARIABLE: facts}).stdout.split()
    assert library == "-lother"
    assert name != runtime.key()
