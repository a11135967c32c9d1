"""What a notebook uses: the `%%cuda` magic, `check`, `hint`, verdict cards.

Nothing heavy is imported before it is used, so that `import grader` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.notebook.checking import check, hint

__all__ = ["check", "hint", "load_ipython_extension"]


def load_ipython_extension(running: Any) -> None:
    """Register the `%%cuda` magic in an IPython shell; `%load_ext grader` comes here."""
    from grader.notebook.magic import register

    register(running)


def __getattr__(name: str) -> Any:
    """Import `check` and `hint` when they are first used."""
    if name in ("check", "hint"):
        from grader.notebook import checking

        return getattr(checking, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
