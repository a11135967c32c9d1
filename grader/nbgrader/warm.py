"""One warm judge for all submissions that a process grades."""

from __future__ import annotations

import atexit
import contextlib
import importlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from grader.verdict import Verdict


class JudgeLike(Protocol):
    """What autograding asks of a judge."""

    def judge(self, exercise: str, texts: Mapping[str, str], *, device: str, seed: int | None) -> Verdict:
        """Judge the texts of the answer cells, by kind: `cuda`, `python`."""


_open: dict[tuple[str, str], JudgeLike] = {}
_stack = contextlib.ExitStack()


def warm_judge(factory: str, sandbox: str) -> JudgeLike:
    """Return the judge that `package.module.name` makes; it stays open until the process ends."""
    key = (factory, sandbox)
    if key not in _open:
        module, _, name = factory.rpartition(".")
        make: Callable[[str], AbstractContextManager[JudgeLike]] = getattr(
            importlib.import_module(module), name
        )
        _open[key] = _stack.enter_context(make(sandbox))
    return _open[key]


def close_judges() -> None:
    """Close all judges that are open."""
    _open.clear()
    _stack.close()


atexit.register(close_judges)
