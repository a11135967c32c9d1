"""From the toolchain's diagnostics to what a learner reads."""

from __future__ import annotations

from typing import Any

from grader.checks.base import Built
from grader.verdict import Place


def built(result: dict[str, Any]) -> Built:
    """Return what checks need to know of a build's result."""
    diagnostics = [one for one in result.get("diagnostics") or [] if isinstance(one, dict)]
    errors = [one for one in diagnostics if one.get("severity") == "error"] or diagnostics
    if result.get("ok"):
        return Built(True, tuple(result.get("functions") or ()))
    first = errors[0] if errors else {"message": "the compiler gave no message"}
    where = _place(first.get("place"))
    at = f" ({where.file}, line {where.line})" if where else ""
    text = f"\n    {where.text.strip()}" if where and where.text.strip() else ""
    more = _others(len(errors) - 1)
    return Built(
        False, (), f"The compiler says{at}: {first.get('message')}{text}{more}", where, tuple(errors)
    )


def _others(count: int) -> str:
    if count <= 0:
        return ""
    told = "is 1 more error" if count == 1 else f"are {count} more errors"
    return f"\nThere {told}; the first one often causes the others."


def _place(value: Any) -> Place | None:
    if not isinstance(value, dict) or not isinstance(value.get("line"), int):
        return None
    return Place(value["line"], value.get("column"), value.get("file") or "cell", value.get("text") or "")
