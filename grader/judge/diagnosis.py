"""From the toolchain's diagnostics to what a learner reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from grader.checks.base import Built
from grader.verdict import Place


def built(result: dict[str, Any]) -> Built:
    """Return what checks need to know of a build's result."""
    diagnostics = [one for one in result.get("diagnostics") or [] if isinstance(one, dict)]
    errors = [one for one in diagnostics if one.get("severity") == "error"] or diagnostics
    if result.get("ok"):
        return Built(True, tuple(result.get("functions") or ()))
    first = errors[0] if errors else {"message": "the compiler gave no message"}
    where = _place(first.get("place"))
    at = f" ({where.file}, line {where.line})" if where else ""
    text = f"\n    {where.text.strip()}" if where and where.text.strip() else ""
    more = _others(len(errors) - 1)
    return Built(
        False, (), f"The compiler says{at}: {first.get('message')}{text}{more}", where, tuple(errors)
    )


def _others(count: int) -> str:
    if count <= 0:
        return ""
    told = "is 1 more error" if count == 1 else f"are {count} more errors"
    return f"\nThere {told}; the first one often causes the others."


def _place(value: Any) -> Place | None:
    if not isinstance(value, dict) or not isinstance(value.get("line"), int):
        return None
    return Place(value["line"], value.get("column"), value.get("file") or "cell", value.get("text") or "")


_SETUP_FRAME = re.compile(r'File "(?:<string>|[^"]*setup\.py)", line (\d+)')
_NO_SOURCE = re.compile(r"ninja: error: '([^']+)', needed by .* missing and no known rule to make it")
_BOILERPLATE = (
    "ninja: ",
    "FAILED: ",
    "subprocess.CalledProcessError: Command '['ninja'",
    "RuntimeError: Error compiling objects",
)


def packaged(result: dict[str, Any], files: Mapping[str, str], line_table: bool | None) -> Built:
    """Return what checks need to know of a package's wheel."""
    commands = tuple(one for one in result["commands"] if "arguments" in one)
    if result["wheel"]:
        return Built(True, commands=commands, line_table=line_table)
    text, where = _why(result["output"], files)
    return Built(False, (), f"The wheel could not be built: {text}", where, commands=commands)


def _why(output: str, files: Mapping[str, str]) -> tuple[str, Place | None]:
    """Return the first thing that went wrong: a compiler's error, else the exception that ended setup.py."""
    from grader.toolchain.diagnostics import parse

    def locate(file: str, line: int, column: int | None) -> Place | None:
        name = next((path for path in files if file == path or file.endswith(f"/{path}")), None)
        if name is None:
            return None
        lines = files[name].splitlines()
        return Place(line, column, name, lines[line - 1] if 0 < line <= len(lines) else "")

    for found in parse(output, locate):
        if found.severity == "error" and found.place is not None:
            text = f"\n    {found.place.text.strip()}" if found.place.text.strip() else ""
            return f"{found.message} ({found.place.file}, line {found.place.line}).{text}", found.place
    if absent := _NO_SOURCE.search(output):
        listed = "/".join(absent[1].split("/")[-2:])
        return f"setup.py lists {listed}, and the package has no such file.", None
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(_BOILERPLATE)] or ["it said nothing"]
    frames = _SETUP_FRAME.findall(output)
    at = Place(int(frames[-1]), None, "setup.py", "") if frames else None
    undefined = next((line for line in told if "undefined reference" in line), None)
    said = (undefined or _cause(told))[:300].rstrip(".")
    advice = next((f" {what}" for words, what in _MENDED_BY if words in said), "")
    return (f"{said} (setup.py, line {at.line}).{advice}" if at and not undefined else f"{said}.{advice}"), at


_MENDED_BY = (
    ("unknown file type '.cu'", 'PyTorch\'s build_ext knows it: cmdclass={"build_ext": BuildExtension}.'),
    ("'-lineinfo'", "An option of nvcc alone: extra_compile_args is a dict with a list for each compiler."),
)
"""What a build's error says, in part, and what mends it."""
_ERROR = re.compile(r"(?:[\w.]+\.)?\w*(?:Error|Exception|Exit)\b:|.*\b(?:fatal )?error: ")


def _cause(lines: Sequence[str]) -> str:
    """Return the line that names an error: the last, or what was said by a program that failed."""
    errors = [line for line in lines if _ERROR.match(line)]
    if not errors:
        return lines[-1]
    causes = [line for line in errors if "CalledProcessError" not in line]
    return causes[-1] if causes else _before_traceback(lines) or errors[-1]


def _before_traceback(lines: Sequence[str]) -> str:
    start = next((index for index, line in enumerate(lines) if line.startswith("Traceback")), 0)
    return lines[start - 1] if start else ""
