"""Showing things in a notebook, in a terminal's IPython, or on plain standard output."""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
import time
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from grader.notebook.session import shell


def in_notebook() -> bool:
    """Tell whether a front end renders HTML: a kernel, not a terminal."""
    running = shell()
    return running is not None and hasattr(running, "kernel")


def validating() -> bool:
    """Tell whether nbgrader's validator runs this notebook."""
    return os.environ.get("NBGRADER_VALIDATING") == "1"


def show(html: str, text: str) -> None:
    """Show HTML where it is rendered, else the text."""
    if not in_notebook():
        print(text)
        return
    from IPython.display import display

    display({"text/html": html, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def progress(doing: str) -> Iterator[Callable[[str], None]]:
    """Show one line with the seconds that have passed; what it last said stays, with the time it took.

    Gives the function that changes what the line says.
    """
    line = _Line(doing)
    if not in_notebook():
        yield line.say
        print(line)
        return
    from IPython.display import display

    handle: Any = display(line.bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]
    stop = threading.Event()

    def tick() -> None:
        while not stop.wait(0.5):
            handle.update(line.bundle(), raw=True)

    # The thread's messages must carry the header of the cell that it works for.
    ticker = threading.Thread(target=contextvars.copy_context().run, args=(tick,), daemon=True)
    ticker.start()
    try:
        yield line.say
    finally:
        stop.set()
        ticker.join()
        handle.update(line.bundle(), raw=True)


class _Line:
    """A text and the seconds since it began."""

    def __init__(self, text: str) -> None:
        self._text, self._started = text, time.monotonic()

    def say(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return f"{self._text} · {time.monotonic() - self._started:.1f} s"

    def bundle(self) -> dict[str, str]:
        """Return the line for a front end."""
        return {"text/html": f'<span role="status">{escape(str(self))}</span>', "text/plain": str(self)}
