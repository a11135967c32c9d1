"""What a learner hands in: the text of the answer cells."""

from __future__ import annotations

import re
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
    cuda_first_line: int = 1
    python_first_line: int = 1
    file: str = "cell"
    """How messages name the CUDA text."""


def unattempted(answer: Answer, needs_python: bool, needs_cuda: bool = True) -> str | None:
    """Say which part has not been attempted, or return None.  An empty or untouched cell counts as such."""
    if needs_cuda and _is_untouched(answer.cuda, _CUDA_COMMENTS, _CUDA_STUB):
        return "The CUDA cell has not been attempted yet."
    if needs_python and _is_untouched(answer.python, _PYTHON_COMMENTS, _PYTHON_STUB):
        return "The Python cell has not been attempted yet."
    return None


def _is_untouched(text: str | None, comments: re.Pattern[str], stub: re.Pattern[str]) -> bool:
    return text is None or not comments.sub("", text).strip() or stub.search(text) is not None
