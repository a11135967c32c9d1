"""`flags`: a package is compiled for those who run it, and for those who profile it.

Every file is compiled with -O3, and device code with line information.  The evidence is the commands that the
build called its compilers with; on a GPU, line tables are looked for in the code that was installed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.checks.base import PASSED, Bench, Check, Finding, failed

_LINES = ("-lineinfo", "--generate-line-info")
_DEBUG = ("-G", "--device-debug")
_ADVICE = 'extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "-lineinfo"]} says both to CUDAExtension.'


@dataclass(frozen=True)
class Flags(Check):
    """Optimised, with lines.  See the module."""

    name = "flags"
    vacuous_without_values = False

    def run(self, bench: Bench) -> Finding:
        """Report the first file that is compiled otherwise."""
        commands = bench.built.commands
        if not any(one["tool"] == "nvcc" for one in commands):
            return failed(
                f"No file was compiled by nvcc: list the .cu among the sources of CUDAExtension. {_ADVICE}"
            )
        for one in commands:
            problem = _problem(one["tool"], _own(one["arguments"]))
            if problem:
                return failed(f"{_file(one)} is compiled {problem}. {_ADVICE}", details=[_detail(one)])
        if bench.built.line_table is False:
            return failed("The installed code for the device has no line table, whatever the commands say.")
        return PASSED


def _own(arguments: Sequence[str]) -> list[str]:
    """Return the flags that the package chose: they follow the object's name, Python's own come before."""
    last = max((index for index, word in enumerate(arguments) if word in ("-o", "--output-file")), default=-1)
    return list(arguments[last + 1 :])


def _problem(tool: str, flags: Sequence[str]) -> str | None:
    level = _level(flags)
    if level != "3":
        return f"with -O{level}, not -O3" if level else "without -O3"
    if tool != "nvcc":
        return None
    if any(flag in _DEBUG for flag in flags):
        return "with -G, which turns optimisation off and leaves -lineinfo without effect"
    return None if any(flag in _LINES for flag in flags) else "without -lineinfo"


def _level(flags: Sequence[str]) -> str:
    """Return the last optimisation level, which is the one that counts; nothing where there is none."""
    level = ""
    for flag, following in zip(flags, [*flags[1:], ""], strict=True):
        if flag.startswith("-O") and not flag.startswith("-Ofast-compile"):
            level = flag[2:].lstrip("=") or (following if following.isdigit() else "1")
        elif flag.startswith("--optimize"):
            level = flag.partition("=")[2] or following
    return level


def _file(command: dict[str, Any]) -> str:
    return "/".join(str(command["source"]).split("/")[-2:])


def _detail(command: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "command", "tool": command["tool"], "arguments": list(command["arguments"])}
