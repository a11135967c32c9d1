"""The kernel programs in this folder: one folder a kernel, `right.cu` and its faulty forms beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent
VALUES = "values"
# What follows from every fault of a kind: racing threads may happen to write the same.
_FOLLOWING = {"data_race": frozenset({"same_value_write"})}


@dataclass(frozen=True)
class Form:
    """One source.  `kind` is the report that the simulator must give, `values` if only values are wrong.

    `signs` are what the header says that a GPU shows: `wrong values`, `an error`, `compute-sanitizer TOOL`;
    `may pass` if nothing need show.  `also` are further kinds that follow from the fault.
    """

    path: Path

    @property
    def kernel(self) -> str:
        """The folder's name."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        """The form's name within the corpus."""
        return f"{self.kernel}/{self.path.stem}"

    @property
    def kind(self) -> str | None:
        """The kind of the fault, none for the right form."""
        return None if self.path.stem == "right" else self.path.stem.partition("__")[0]

    @property
    def source(self) -> str:
        """The text of the source."""
        return self.path.read_text(encoding="utf-8")

    @property
    def signs(self) -> tuple[str, ...]:
        """What a GPU shows of the fault, any one of them."""
        return tuple(part.strip() for part in self.header("On a GPU").split(" or ") if part.strip())

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of compute-sanitizer that `signs` names."""
        return tuple(sign.split()[1] for sign in self.signs if sign.startswith("compute-sanitizer "))

    @property
    def also(self) -> frozenset[str]:
        """Further kinds that the simulator may report."""
        return frozenset(self.header("Also").replace(",", " ").split())

    def header(self, key: str) -> str:
        """Return what the line `// key: ...` of the header says."""
        found = re.search(rf"^// {re.escape(key)}: (.*)$", self.source, re.MULTILINE)
        return found[1].strip() if found else ""


def forms() -> list[Form]:
    """Return every form, those of one kernel together and the right one first."""
    found = [Form(path) for path in ROOT.glob("*/*.cu")]
    return sorted(found, key=lambda form: (form.kernel, form.kind is not None, form.path.stem))


def surprise(form: Form, runs: Sequence[tuple[Iterable[str], str, str]]) -> str:
    """Return how runs on the simulator differ from what the form promises, nothing if they do not.

    A run is the kinds of its reports, `right`, `wrong` or `none`, and the error that was raised.
    A consequence, as an address that is none, may end a run before the fault itself is complete.
    """
    silent = [(not list(kinds), values, error) for kinds, values, error in runs]
    if form.kind is None or form.kind == VALUES:
        wanted = (True, "wrong" if form.kind else "right", "")
        return next((f"{run}" for run, seen in zip(runs, silent, strict=True) if seen != wanted), "")
    allowed = {form.kind} | form.also | _FOLLOWING.get(form.kind, frozenset())
    for kinds, _, error in runs:
        if set(kinds) - allowed:
            return f"reported besides: {', '.join(sorted(set(kinds) - allowed))}"
        if form.kind not in kinds and not (error and kinds):
            return f"no {form.kind}, but: {', '.join(sorted(kinds)) or 'nothing'} {error}".strip()
    return "" if any(form.kind in kinds for kinds, _, _ in runs) else f"no {form.kind} in any order"
