"""Showing things in a notebook, in a terminal's IPython, or on plain standard output."""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
import time
from collections.abc import Iterator
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
def progress(doing: str, done: str) -> Iterator[None]:
    """Show one line with the seconds that have passed, and at the end how long it took."""
    if not in_notebook() or validating():
        yield
        return
    from IPython.display import display

    started = time.monotonic()
    handle: Any = display(_line(doing, started), raw=True, display_id=True)  # type: ignore[no-untyped-call]
    stop = threading.Event()

    def tick() -> None:
        while not stop.wait(0.5):
            handle.update(_line(doing, started), raw=True)

    # The thread's messages must carry the header of the cell that it works for.
    ticker = threading.Thread(target=contextvars.copy_context().run, args=(tick,), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        stop.set()
        ticker.join()
        handle.update(_line(done, started), raw=True)


def _line(text: str, started: float) -> dict[str, str]:
    line = f"{text} {time.monotonic() - started:.1f} s"
    return {"text/html": f'<span role="status">{escape(line)}</span>', "text/plain": line}
