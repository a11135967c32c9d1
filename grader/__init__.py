"""What a notebook imports: `device`, `load_inline`, `check`, `hint`; importing it registers `%%cuda`.

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

_FROM = {
    "check": "grader.notebook",
    "hint": "grader.notebook",
    "device": "grader.toolchain",
    "load_inline": "grader.toolchain",
}

__all__ = ["check", "device", "hint", "load_inline"]


def __getattr__(name: str) -> Any:
    """Import a public name from where it is defined when it is first used."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_FROM[name]), name)


def load_ipython_extension(running: Any) -> None:
    """Register `%%cuda`: `%load_ext grader`.  Importing the package in IPython does it too."""
    from grader.notebook import load_ipython_extension as load

    load(running)


def _register_in_running_shell() -> None:
    """Register `%%cuda` when this is imported inside IPython, and import nothing elsewhere."""
    ipython = sys.modules.get("IPython")
    running = ipython.get_ipython() if ipython and hasattr(ipython, "get_ipython") else None
    if running is not None:
        load_ipython_extension(running)


_register_in_running_shell()
