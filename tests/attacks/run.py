"""`python -m tests.attacks.run`: every attack, and the table of what each tried and what stopped it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from grader.judge import Judge, confinement
from grader.judge.confinement import namespaces
from tests.attacks import batch, judged, reach
from tests.attacks.attack import Attack, attacks
from tests.attacks.ground import ROOT, Ground

REPORT = ROOT / "docs/reports/attacks.md"
_HEADINGS = {
    "reach": "What lies outside a worker",
    "message": "What a worker says to the judge",
    "cheat": "Marks for wrong answers",
    "build": "The compiler",
    "course": "What is handed in",
    "batch": "A class with attackers in it",
}
Attempt = Callable[[Attack, Judge, Ground], tuple[list[str], str]]
Row = tuple[Attack, list[str], str]


def main(arguments: list[str] | None = None) -> int:
    """Run the attacks and write the report; fail if one got something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--honest", type=int, default=20, help="honest hand-ins of the batch")
    parser.add_argument("--hostile", type=int, default=10, help="attacks among them")
    options = parser.parse_args(arguments)
    os.environ.setdefault("GRADER_COMPILE_SECONDS", "8")
    rows = list(_all())
    text, whole = _batch(options.honest, options.hostile)
    options.report.write_text(_report(rows, text), encoding="utf-8")
    got = [attack.name for attack, found, _ in rows if found]
    print(f"{len(rows)} attacks, {len(got)} got something{': ' + ', '.join(got) if got else ''}. {text}")
    return 1 if got or not whole else 0


def _all() -> Iterator[Row]:
    """Yield each attack with what it got and what was seen."""
    with Ground() as ground:
        os.environ["A_SECRET"] = ground.token
        with Judge("sim", sandbox="best") as judge:
            for attack in attacks("reach", "message", "cheat", "build"):
                attempt: Attempt = reach.attempt if attack.kind == "reach" else judged.attempt
                got, seen = attempt(attack, judge, ground)
                print(
                    f"{'GOT' if got else 'nothing':8}{attack.name}: {'; '.join(got) or seen}"[:160],
                    flush=True,
                )
                yield attack, got, seen


def _batch(good: int, bad: int) -> tuple[str, bool]:
    """Return what came of a class with attackers, and whether the honest marks stood and nothing was left."""
    started = time.monotonic()
    alone, among = batch.run(good, bad)
    same = sum(among.marks.get(name) == mark is not None for name, mark in alone.marks.items())
    text = (
        f"{good + bad} hand-ins, {bad} of them attacks: {same} of {good} honest marks as alone, "
        f"{len(among.left)} processes, files, sockets or faults of the gradebook left "
        f"({time.monotonic() - started:.0f} s for both batches)."
    )
    return text, same == good and not among.left


def _report(rows: list[Row], batch_text: str) -> str:
    layers = ", ".join(layer.name for layer in confinement.layers() if layer.present)
    got = sum(bool(found) for _, found, _ in rows)
    lines = [
        "# Attacks",
        "",
        "Written by `make attacks`. Each attack is a file in `tests/attacks/corpus`; its head says what it "
        "tries and what stops it. CI runs them all, those on what lies outside a worker with namespaces and "
        "without, and those that need no privilege also unconfined, where they get what they want.",
        "",
        f"{len(rows)} attacks, {got} got something. Layers here: {layers}"
        f"{'' if namespaces.available() else ' (no namespaces)'}.",
        "",
        f"{_HEADINGS['batch']}: {batch_text}",
    ]
    for kind, heading in _HEADINGS.items():
        part = [row for row in rows if row[0].kind == kind]
        if part:
            lines += [
                "",
                f"## {heading}",
                "",
                "| attack | tries to | stopped by | what was seen |",
                "|---|---|---|---|",
            ]
            lines += [_row(*row) for row in part]
    return "\n".join(lines) + "\n"


def _row(attack: Attack, got: list[str], seen: str) -> str:
    told = "**got " + "; ".join(got) + "**" if got else seen
    cells = (attack.path.stem, attack.tries, attack.stopped_by, told)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    """Return text that neither ends a table's cell nor is read as markup, without this machine's paths."""
    text = text.replace(str(ROOT), "...").replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= 140 else text[:137] + "..."


if __name__ == "__main__":
    sys.exit(main())
