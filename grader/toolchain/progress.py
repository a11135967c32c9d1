"""How a build of the runtime is shown: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Watcher(Protocol):
    """Told how a build goes."""

    def begin(self, steps: int, title: str) -> None:
        """A build of `steps` steps begins."""

    def done(self, step: str) -> None:
        """One step is done."""

    def waiting(self) -> None:
        """Another process is building the same thing."""


class Silent:
    """Shows nothing."""

    def begin(self, steps: int, title: str) -> None:
        """Show nothing."""

    def done(self, step: str) -> None:
        """Show nothing."""

    def waiting(self) -> None:
        """Show nothing."""


class Lines:
    """One line a step, for logs."""

    def __init__(self, out: TextIO) -> None:
        """Write to `out`."""
        self._out, self._steps, self._count, self._started = out, 0, 0, time.monotonic()

    def begin(self, steps: int, title: str) -> None:
        """Say what begins."""
        self._steps = steps
        self._say(f"{title} ({steps} steps, once per user)")

    def done(self, step: str) -> None:
        """Say what is done, the time it took so far and what is left."""
        self._count += 1
        elapsed = time.monotonic() - self._started
        # The long steps come first, so an early guess would be far too high.
        left = elapsed / self._count * (self._steps - self._count)
        guess = f", about {left:.0f} s left" if self._count * 3 >= self._steps else ""
        self._say(f"[{self._count}/{self._steps}] {step} ({elapsed:.0f} s{guess})")

    def waiting(self) -> None:
        """Say that another process builds."""
        self._say("Waiting for another session that is building the same.")

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)


class Bar:
    """A bar with elapsed and remaining time."""

    def __init__(self, progress: Progress) -> None:
        """Draw on `progress`."""
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def begin(self, steps: int, title: str) -> None:
        """Show an empty bar."""
        self._progress.update(self._task, description=title, total=steps)

    def done(self, step: str) -> None:
        """Move the bar by one step."""
        self._progress.update(self._task, advance=1, description=step)

    def waiting(self) -> None:
        """Say that another process builds."""
        self._progress.update(self._task, description="Waiting for another session that is building the same")


@contextmanager
def shown(out: TextIO | None = None) -> Iterator[Watcher]:
    """Give a watcher that shows progress on `out`, by default standard error, once there is any."""
    stream = out or sys.stderr
    console = Console(file=stream)
    if not console.is_terminal:
        yield Lines(stream)
        return
    lazy = _Lazy(console)
    try:
        yield lazy
    finally:
        lazy.stop()


class _Lazy:
    """A bar that appears when there is something to show."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Bar | None = None
        self._progress: Progress | None = None

    def begin(self, steps: int, title: str) -> None:
        self._shown().begin(steps, title)

    def done(self, step: str) -> None:
        self._shown().done(step)

    def waiting(self) -> None:
        self._shown().waiting()

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _shown(self) -> Bar:
        if self._bar is None:
            self._progress = Progress(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                TextColumn("left"), TimeRemainingColumn(), console=self._console,
            )  # fmt: skip
            self._progress.start()
            self._bar = Bar(self._progress)
        return self._bar
