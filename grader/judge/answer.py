"""What a learner hands in: the text of the answer cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_CUDA_STUB = re.compile(r'^[ \t]*#[ \t]*error[ \t]+"[^"\n]*not attempted yet', re.MULTILINE)
_PYTHON_STUB = re.compile(
    r"""^[ \t]*raise NotImplementedError\(["'][^"'\n]*not attempted yet""", re.MULTILINE
)
_CUDA_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PYTHON_COMMENTS = re.compile(r"#[^\n]*")


@dataclass(frozen=True)
class Answer:
    """The answer's texts.  `first_line` is the number which the editor shows for a text's first line."""

    cuda: str | None = None
    python: str | None = None
    files: Mapping[str, str] | None = None
    """A package's sources by path, for an answer of several files."""
    cuda_first_line: int = 1
    python_first_line: int = 1
    file: str = "cell"
    """How messages name the CUDA text."""


def unattempted_file(answer: Answer, paths: Sequence[str], may_be_empty: Sequence[str]) -> str | None:
    """Say which file of a package has not been attempted, or return None."""
    files = answer.files or {}
    for path in paths:
        text = files.get(path)
        if path in may_be_empty and text is not None and not text.strip():
            continue
        is_python = path.endswith(".py")
        comments, stub = (_PYTHON_COMMENTS, _PYTHON_STUB) if is_python else (_CUDA_COMMENTS, _CUDA_STUB)
        if path in may_be_empty and text is not None and not stub.search(text):
            continue
        if state := _untouched(text, comments, stub):
            return f"{path} has not been attempted yet: it {state}."
    return None


def unattempted(answer: Answer, needs_python: bool, needs_cuda: bool = True) -> str | None:
    """Say which part has not been attempted, or return None.  An empty or untouched cell counts as such."""
    if needs_cuda and (state := _untouched(answer.cuda, _CUDA_COMMENTS, _CUDA_STUB)):
        return _told(answer, "CUDA", ".cu", state)
    if needs_python and (state := _untouched(answer.python, _PYTHON_COMMENTS, _PYTHON_STUB)):
        return _told(answer, "Python", ".py", state)
    return None


def _told(answer: Answer, language: str, suffix: str, state: str) -> str:
    """Name the cell, or the file and what is in it."""
    if answer.file == "cell":
        return f"The {language} cell has not been attempted yet."
    name = answer.file if answer.file.endswith(suffix) else f"The {suffix} file"
    return f"{name} has not been attempted yet: it {state}."


def _untouched(text: str | None, comments: re.Pattern[str], stub: re.Pattern[str]) -> str:
    """Say what makes a text no attempt; nothing for an attempt."""
    if text is None or not text.strip():
        return "is empty"
    if not comments.sub("", text).strip():
        return "holds comments alone"
    return "still has the line that stops an unsolved answer" if stub.search(text) else ""
