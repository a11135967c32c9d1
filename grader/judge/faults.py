"""What can go wrong beside the answer being wrong."""

from __future__ import annotations


class EnvironmentFault(Exception):  # noqa: N818  (the word of the design: a fault of the machine, not an error of code)
    """The machine cannot judge: no compiler, no space, no driver.  No mark is recorded."""


class WorkerLostError(Exception):
    """A worker gave no result.  `reason` is `crash`, `time-out` or `malformed`."""

    def __init__(self, reason: str, what: str, output: str = "") -> None:
        """Keep what happened, as the end of a sentence about the answer, and what it printed last."""
        super().__init__(what)
        self.reason, self.what, self.output = reason, what, output
