"""What an attack's file says: what it tries, what stops it, and how that is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
KINDS = ("reach", "message", "cheat", "build", "batch", "course")
_FIELD = re.compile(r"^(?://|#)? ?([A-Z][a-z ]+): (.+)$")


class AttackError(Exception):
    """An attack's file does not say what it must.  The message names file and line."""


@dataclass(frozen=True)
class Attack:
    """One file.  `kind` is its folder; further lines of its head are `fields`."""

    path: Path
    kind: str
    tries: str
    stopped_by: str
    text: str
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the folder and the stem: `reach/tcp`."""
        return f"{self.kind}/{self.path.stem}"


def attacks(*kinds: str) -> Iterator[Attack]:
    """Yield the attacks of these kinds, by name; raise `AttackError` if one that is asked for has none."""
    for kind in kinds or KINDS:
        files = sorted((CORPUS / kind).glob("*.*"))
        if kinds and not files:
            raise AttackError(f"{CORPUS / kind} holds no attack: is it ignored by git?")
        yield from (read(path) for path in files if not _is_partner(path))


def _is_partner(path: Path) -> bool:
    """Whether this is the Python half of an attack in CUDA."""
    return path.suffix == ".py" and path.with_suffix(".cu").exists()


def read(path: Path) -> Attack:
    """Return the attack in a file; raise `AttackError` if its head is not whole."""
    text = path.read_text(encoding="utf-8")
    lines = re.sub(r"^\"\"\"", "", text).splitlines()
    tries = re.match(r"(?:// )?Tries to (.+)\.$", lines[0])
    found: dict[str, str] = {}
    for line in lines[1:]:
        if line.strip() in ("", "//"):
            continue
        if not (matched := _FIELD.match(line)):
            break
        found[matched[1]] = matched[2]
    stopped_by = found.pop("Stopped by", "")
    if tries is None or not stopped_by:
        raise AttackError(f"{path}: the first lines must be `Tries to ... .` and `Stopped by: ...`")
    return Attack(path, path.parent.name, tries[1], stopped_by, text, found)
