"""The judge as notebooks and course tools use it: a process beside them that gets the texts of cells."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from grader.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from grader.judge.client import JudgeClient

CUDA_FIRST_LINE = 2
"""The `%%cuda` line is line 1 of what the editor shows; messages count as the editor does."""


class CellJudge:
    """A judge of cell texts.  Its process starts with the first answer, and ends with the `with` block."""

    def __init__(self, sandbox: str = "none") -> None:
        """Start nothing yet.  `sandbox` is one of the judge's levels of confinement."""
        self._sandbox = sandbox
        self._client: JudgeClient | None = None
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> CellJudge:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the judge's processes."""
        self._client = None
        self._stack.close()

    def start(self) -> JudgeClient:
        """Start the judge's process if it does not run yet; it gets ready while the caller goes on."""
        from grader.judge.client import JudgeClient

        if self._client is None:
            self._client = self._stack.enter_context(JudgeClient(sandbox=self._sandbox))
        return self._client

    def judge(
        self,
        exercise: str,
        texts: Mapping[str, str],
        *,
        device: str,
        seed: int | None,
        first_line: int = CUDA_FIRST_LINE,
    ) -> Verdict:
        """Judge the texts of the answer cells, by kind: `python` whole, others without their magic line.

        `first_line` is the number that the learner's editor shows for the first line of the CUDA text.
        """
        from grader.judge import Answer, EnvironmentFault

        files = {kind: text for kind, text in texts.items() if kind not in ("cuda", "python")}
        answer = Answer(texts.get("cuda"), texts.get("python"), files or None, cuda_first_line=first_line)
        try:
            return self.start().judge(exercise, answer, device=device, seed=seed)
        except EnvironmentFault as fault:
            return Verdict(exercise, device, Outcome.ENVIRONMENT, 0.0, 0.0, message=str(fault))
