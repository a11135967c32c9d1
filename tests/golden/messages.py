"""What learners are told about each wrong submission of the corpus, kept in one file for each exercise.

Numbers that depend on drawn values, and those of streams, are left out; the words of the compiler and of
PyTorch are compared where they are those of the versions that the files were made with.
"""

from __future__ import annotations

import platform
import re
import subprocess
from functools import cache
from pathlib import Path

from grader.verdict import Outcome, Verdict

FOLDER = Path(__file__).parent
VERSIONS = FOLDER / "versions.txt"
_FOREIGN = re.compile(
    r"0x[0-9a-f]{4,}|(?<![\w<\"./])/(?:\w[\w.+-]*/)+|build_?\w*/|__cxx11::|sim::|module\.so"
)
"""What no learner can do anything with: addresses, paths of this machine, names of our own."""
_DECIMAL = re.compile(r"-?\b(?:\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+|nan|inf)\b")
_STREAM = re.compile(r"\bstream [1-9]\d*")
_MODULE = re.compile(r"\banswer_[0-9a-f]{12}\b")
_COUNT = re.compile(r"\b\d+ (?=of \d+ values|times\b)")
_AMOUNT = re.compile(r"(?<=; at )(?P<at>.*?): got \S+, expected \S+?(?=\.(?: |$))")

_CASE = re.compile(r' \(case "(?:[^()]|\([^()]*\))*\)')
_CASES = re.compile(r" \d+ of \d+ cases (?:is|are) wrong\.")
_UNENDED = "did not finish within"


def told(verdict: Verdict) -> str:
    """Return the messages of the checks that failed, with the source line that each points to."""
    lines = [verdict.message] if verdict.message else []
    for check in verdict.checks:
        if check.verdict is Outcome.FAILED:
            lines.append(f"{check.name}: {_steady(check.message)}")
            if check.where:
                lines.append(f"  line {check.where.line}: {check.where.text.strip()}")
    return "\n".join(lines)


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same, of whatever case, element or thread.

    On a busy machine a step may run out of time, and the fault is then shown by another case.
    """
    if _UNENDED in one or _UNENDED in other:
        return re.findall(r"^\w+(?=: )", one, re.MULTILINE) == re.findall(r"^\w+(?=: )", other, re.MULTILINE)
    return _essence(one) == _essence(other)


def _essence(text: str) -> str:
    text = _CASES.sub("", _CASE.sub("", text))
    return re.sub(r"\d+", "#", re.sub(r"[(\[]\d+(?:, \d+)*[)\]]", "#", text))


def foreign(text: str) -> str | None:
    """Return what in a message means nothing to a learner: an address, a path, an internal name."""
    found = _FOREIGN.search(text)
    return found[0] if found else None


def read(exercise: str) -> dict[str, str]:
    """Return the messages that were accepted for an exercise, by the submission's stem."""
    path = FOLDER / f"{exercise}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(r"^\[(\w+)\]\n", text, flags=re.MULTILINE)[1:]
    return {stem: body.strip("\n") for stem, body in zip(parts[::2], parts[1::2], strict=True)}


def write(exercise: str, messages: dict[str, str]) -> None:
    """Keep the messages of an exercise."""
    body = "\n".join(f"[{stem}]\n{text}\n" for stem, text in sorted(messages.items()))
    (FOLDER / f"{exercise}.txt").write_text(body, encoding="utf-8")


@cache
def versions() -> str:
    """Return what the words of compilers and of PyTorch depend on."""
    import torch

    gcc = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
    torch_version = ".".join(torch.__version__.split(".")[:2])
    return f"g++ {gcc}, torch {torch_version}, {platform.machine()}\n"


def are_comparable() -> bool:
    """Whether this machine's words are those of the files."""
    return VERSIONS.exists() and VERSIONS.read_text(encoding="utf-8") == versions()


def _steady(text: str) -> str:
    text = _MODULE.sub("answer_#", _STREAM.sub("stream N", _DECIMAL.sub("#", text)))
    text = _AMOUNT.sub(r"\g<at>: got #, expected #", _COUNT.sub("# ", text))
    return " ".join(text.split())
