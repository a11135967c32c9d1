"""What can go wrong beside the answer being wrong."""

from __future__ import annotations

from typing import Any

from grader.toolchain.errors import EnvironmentFault

__all__ = ["EnvironmentFault", "NurseryLostError", "WorkerLostError"]


class NurseryLostError(EnvironmentFault):
    """The parent of the workers ended by itself: the machine's fault once, the answer's if again."""


class WorkerLostError(Exception):
    """A worker gave no result.  `reason` is `crash`, `abort`, `exit`, `time-out` or `malformed`."""

    def __init__(
        self, reason: str, what: str, output: str = "", reports: tuple[dict[str, Any], ...] = ()
    ) -> None:
        """Keep what happened, as the end of a sentence about the answer, its last words and last reports."""
        super().__init__(what)
        self.reason, self.what, self.output, self.reports = reason, what, output, reports
