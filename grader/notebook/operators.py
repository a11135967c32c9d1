"""Cells that register something for an operator can be run again: what they registered before is taken back.

PyTorch refuses a second gradient for an operator, and would go on with an older fake kernel.  A cell is known
again by what it answers, by its id where the front end sends one, or by its text.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from grader.notebook.answers import marker

_made: dict[str, list[Any]] = {}
"""Libraries that PyTorch keeps for a cell, by cell."""
_before: list[Any] = []
"""Those that there were when the running cell began."""


def register(running: Any) -> None:
    """Follow an IPython shell's cells."""
    for name, function in (("pre_run_cell", begin), ("post_run_cell", end)):
        if function not in running.events.callbacks[name]:
            running.events.register(name, function)


def begin(info: Any) -> None:
    """Take back what the cell registered when it was run before."""
    from grader.toolchain import registration

    old = _made.pop(_key(info), [])
    if old:
        registration.take_back(old)
    _before[:] = _kept()


def end(result: Any) -> None:
    """Remember what the cell has registered."""
    known = {id(one) for one in _before}
    made = [one for one in _kept() if id(one) not in known]
    if made:
        from grader.toolchain import registration

        _made[_key(result.info)] = made
        # An operator that was traced before would not find what has been registered since.
        registration.refresh({str(one.ns) for one in made})


def _kept() -> list[Any]:
    """Return the libraries that PyTorch keeps for registrations without one of the caller's own."""
    library = sys.modules.get("torch.library")
    return list(getattr(library, "_keep_alive", []))


def _key(info: Any) -> str:
    text = str(info.raw_cell)
    found = marker(text)
    if found:
        return found.grade_id
    return str(getattr(info, "cell_id", None) or hashlib.sha256(text.encode()).hexdigest())
