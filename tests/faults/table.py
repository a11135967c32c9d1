"""Where each fault of the log is shown: `python -m tests.faults.table` writes `docs/faults.md`.

`faults.tsv` has a line for each fault: its id, what it is, submissions and tests that show it, and a note.
Submissions that carry the id in their header need not be named there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.agreement import read_corpus

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "tests/faults/faults.tsv"
DOCUMENT = ROOT / "docs/faults.md"
COLUMNS = ("id", "fault", "shown_by", "note")
TITLES = {
    "A": "Faults of extensions",
    "B": "Faults of builds",
    "C": "Faults of notebooks and grading",
    "G": "Faults of judging on a GPU",
    "X": "Faults of nbgrader's newest version",
}


@dataclass(frozen=True)
class Fault:
    """A fault, and what shows our behaviour."""

    id: str
    fault: str
    shown_by: tuple[str, ...]
    """Submissions as `exercise/stem`, tests as `tests/file.py::test_name`; those with the id come first."""
    note: str


def read_faults() -> tuple[Fault, ...]:
    """Return the list, with the submissions that carry each id."""
    carried = carriers()
    with LIST.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(
        Fault(
            row["id"],
            row["fault"],
            tuple(dict.fromkeys([*carried.get(row["id"], ()), *row["shown_by"].split()])),
            row["note"],
        )
        for row in rows
    )


def carriers() -> dict[str, list[str]]:
    """Return the submissions whose header names a fault, by its id."""
    found: dict[str, list[str]] = {}
    for one in read_corpus(ROOT / "tests/submissions"):
        if one.fault:
            found.setdefault(one.fault, []).append(one.name)
    return found


def document(faults: tuple[Fault, ...]) -> str:
    """Return the table for people."""
    return "\n".join(_lines(faults)) + "\n"


def _lines(faults: tuple[Fault, ...]) -> Iterator[str]:
    yield "# Known faults, and what shows our verdict on them"
    yield ""
    yield (
        "Written by `python -m tests.faults.table` from `tests/faults/faults.tsv` and the headers of the "
        "corpus. Each line is a fault that somebody met in a real project. A submission is judged in every "
        "run of the suite and gets the verdict in its name; a test shows what we do; a line with neither "
        "says why the fault cannot arise here. What is the machine's is `environment`, and never a mark."
    )
    for letter, title in TITLES.items():
        rows = [fault for fault in faults if fault.id.startswith(letter)]
        yield from ("", f"## {title}", "", "| id | fault | shown by | note |", "|---|---|---|---|")
        for fault in rows:
            shown = "<br>".join(f"`{name}`" for name in fault.shown_by)
            yield f"| {fault.id} | {fault.fault} | {shown} | {fault.note} |"


if __name__ == "__main__":
    DOCUMENT.write_text(document(read_faults()), encoding="utf-8")
    print(f"wrote {DOCUMENT.relative_to(ROOT)}")
