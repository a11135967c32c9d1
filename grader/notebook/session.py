"""What a notebook's kernel remembers: the last-run answers, the revealed hints, the judge beside it."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from grader.notebook.answers import marker
from grader.notebook.judging import CellJudge
from grader.verdict import Verdict


class JudgeLike(Protocol):
    """A judge of cell texts."""

    def __enter__(self) -> JudgeLike:
        """Return the judge, ready."""

    def __exit__(self, *reason: Any) -> None:
        """End its processes."""

    def start(self) -> Any:
        """Get ready while the caller goes on."""

    def judge(
        self, exercise: str, texts: Mapping[str, str], *, device: str, seed: int | None, first_line: int
    ) -> Verdict:
        """Judge the texts of the answer cells, by kind."""


@dataclass
class Session:
    """The state of one kernel."""

    make_judge: Callable[[], JudgeLike] = CellJudge
    cuda: dict[str, str] = field(default_factory=dict)
    """Source of the last-run `%%cuda` cell, by exercise, without the magic line."""
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    """Source of the last-run `%%package` cells by exercise and path, without the magic line."""
    hints: dict[str, int] = field(default_factory=dict)
    _judge: JudgeLike | None = None

    def judge(self) -> JudgeLike:
        """Return the judge beside this kernel; it starts at the first call and ends with the kernel."""
        if self._judge is None:
            self._judge = self.make_judge().__enter__()
            atexit.register(self.close)
        return self._judge

    def close(self) -> None:
        """End the judge; the next check starts a new one."""
        judge, self._judge = self._judge, None
        if judge is not None:
            judge.__exit__(None, None, None)

    def texts(self, exercise: str, kinds: tuple[str, ...]) -> dict[str, str]:
        """Return the last-run texts of an exercise's answer cells; those never run are left out."""
        found = {"cuda": self.cuda.get(exercise), "python": last_run(exercise)} | self.files.get(exercise, {})
        return {kind: text for kind in kinds if (text := found.get(kind)) is not None}


SESSION = Session()


def shell() -> Any:
    """Return the running IPython shell, or None."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def last_run(exercise: str) -> str | None:
    """Return the last-run cell whose first line is `# answer: EXERCISE`, as typed; None if there is none."""
    running = shell()
    if running is None:
        return None
    for source in reversed(running.history_manager.input_hist_raw):
        found = marker(source)
        if found and found.kind == "python" and found.exercise == exercise:
            return str(source)
    return None
