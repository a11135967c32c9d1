"""`python -m grader.mutation`: break every right submission mechanically, and see that each mutant fails.

A mutant that passes is either equivalent, and listed with the reason, or shows that a check is missing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.agreement import CorpusError, Result, Results, Submission, Task, judge_all, machine, read_corpus
from grader.mutation.mutants import Mutant, mutants_of, sample
from grader.mutation.survivors import Listed, SurvivorsError, read_listed

SURVIVORS = Path("tests/mutation/survivors.tsv")


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if every mutant fails or is listed, 1 if not, 2 for usage."""
    options = _parser().parse_args(argv)
    try:
        listed = read_listed(options.survivors)
        mutants = sample(_mutants(options), options.sample, options.seed)
    except (CorpusError, SurvivorsError) as error:
        print(error, file=sys.stderr)
        return 2
    results = Results.read(options.out / "mutants.jsonl")
    _judge(mutants, results, options)
    table = Table(mutants, results, listed)
    text = table.to_markdown()
    (options.out / "mutants.md").write_text(text, encoding="utf-8")
    print(text)
    return 0 if table.is_complete else 1


def _mutants(options: argparse.Namespace) -> list[Mutant]:
    right = [
        one for one in read_corpus(options.submissions) if one.check is None and _asked(one, options.only)
    ]
    return [mutant for submission in right for mutant in mutants_of(submission)]


def _asked(submission: Submission, only: str | None) -> bool:
    return not only or any(part in submission.name for part in only.split(","))


def _judge(mutants: Sequence[Mutant], results: Results, options: argparse.Namespace) -> None:
    """Judge what no stored result of this very grader covers."""
    here = machine.describe()
    known = [results.of(mutant, "sim") for mutant in mutants]
    missing = [
        Task(mutant, "sim", options.seed)
        for mutant, result in zip(mutants, known, strict=True)
        if result is None or result.machine.get("grader") != here["grader"]
    ]
    began, deadline = time.monotonic(), time.monotonic() + options.budget
    arriving = judge_all(missing, here, jobs=options.jobs, limit=options.limit, deadline=deadline)
    for count, result in enumerate(arriving, start=1):
        results.add(result)
        spent = time.monotonic() - began
        left = spent / count * (len(missing) - count)
        said = ",".join(sorted(result.failing)) or result.outcome
        print(f"{count}/{len(missing)} ({left / 60:.0f} min left)  {result.name}: {said}", flush=True)


class Table:
    """What became of the mutants, by exercise and by operator."""

    def __init__(self, mutants: Sequence[Mutant], results: Results, listed: Sequence[Listed]) -> None:
        """Sort the mutants into killed, listed, and survivors that nobody has explained."""
        self.judged = [(mutant, result) for mutant in mutants if (result := results.of(mutant, "sim"))]
        self.unjudged = len(mutants) - len(self.judged)
        alive = [mutant for mutant, result in self.judged if result.outcome == "passed"]
        self.explained = {m: one for m in alive for one in listed if one.fits(m)}
        self.survivors = [mutant for mutant in alive if mutant not in self.explained]
        self.errors = [(m, r) for m, r in self.judged if not r.is_verdict]

    @property
    def is_complete(self) -> bool:
        """Whether all were judged and every survivor is explained."""
        return not (self.unjudged or self.survivors or self.errors)

    def to_markdown(self) -> str:
        """Return the report."""
        total, alive = len(self.judged), len(self.explained) + len(self.survivors)
        lines = ["# Mutants", "", f"{total} judged on `sim`: {total - alive - len(self.errors)} killed, "]
        lines[-1] += (
            f"{len(self.explained)} equivalent, {len(self.survivors)} survivors, {self.unjudged} unjudged."
        )
        lines += [
            "",
            *self._by("exercise", lambda m: m.exercise),
            "",
            *self._by("operator", lambda m: m.operator),
        ]
        lines += ["", "## Killed by", "", "| check | mutants |", "|---|---|"]
        killers = Counter(name for _, result in self.judged for name in result.failing)
        lines += [f"| {name} | {count} |" for name, count in killers.most_common()]
        if self.survivors:
            lines += ["", "## Survivors", "", *(_line(mutant) for mutant in self.survivors)]
        if self.explained:
            lines += ["", "## Equivalent", ""]
            lines += [f"{_line(mutant)}: {one.reason}" for mutant, one in self.explained.items()]
        lines += ["", *(f"- not judged: {m.name}: {r.outcome} {r.error[:200]}" for m, r in self.errors)]
        return "\n".join(lines).rstrip() + "\n"

    def _by(self, title: str, key: Callable[[Mutant], str]) -> list[str]:
        rows: dict[str, list[Result]] = {}
        for mutant, result in self.judged:
            rows.setdefault(key(mutant), []).append(result)
        lines = [f"| {title} | mutants | passed |", "|---|---|---|"]
        return lines + [
            f"| {name} | {len(found)} | {sum(one.outcome == 'passed' for one in found)} |"
            for name, found in sorted(rows.items())
        ]


def _line(mutant: Mutant) -> str:
    return f"- `{mutant.name}`: `{mutant.before}` → `{mutant.after}`"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grader.mutation", description=__doc__)
    add = parser.add_argument
    add("--submissions", type=Path, default=Path("tests/submissions"), metavar="DIR")
    add("--survivors", type=Path, default=SURVIVORS, metavar="FILE", help="mutants that may pass, and why")
    add("--only", metavar="TEXT,...", help="right submissions whose exercise/name holds one of these")
    add("--sample", type=int, metavar="N", help="only so many, drawn by the seed")
    add("--seed", type=int, default=20261130)
    add("--jobs", type=int, default=2)
    add("--limit", type=float, default=200.0, metavar="SECONDS", help="for one mutant")
    add("--budget", type=float, default=float("inf"), metavar="SECONDS", help="begin nothing after this")
    add("--out", type=Path, default=Path("build/mutation"), metavar="DIR")
    return parser
