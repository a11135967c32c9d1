"""Verdicts that were stored as they came, one JSON object a line, so that an interrupted run continues."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.agreement.judgeable import Judgeable


@dataclass(frozen=True)
class Result:
    """What one device said about one submission: a verdict's JSON, or why there is none."""

    name: str
    digest: str
    device: str
    machine: dict[str, str]
    verdict: dict[str, Any] | None = None
    error: str = ""
    seconds: float = 0.0

    @property
    def outcome(self) -> str:
        """The verdict in one word; `error` if the judge gave none."""
        return str(self.verdict["verdict"]) if self.verdict else "error"

    @property
    def is_verdict(self) -> bool:
        """Whether the submission was judged at all, and not the machine."""
        return self.outcome not in ("error", "environment")

    @property
    def checks(self) -> dict[str, str]:
        """Each check's verdict, in the order in which they were made."""
        return {check["name"]: check["verdict"] for check in self.verdict["checks"]} if self.verdict else {}

    @property
    def failing(self) -> frozenset[str]:
        """The names of the checks that failed."""
        return frozenset(name for name, verdict in self.checks.items() if verdict == "failed")

    def message(self, check: str) -> str:
        """Return what `check` said, or what was said in its place."""
        if self.verdict is None:
            return self.error
        said = [entry["message"] for entry in self.verdict["checks"] if entry["name"] == check]
        return str(said[0]) if said else str(self.verdict["message"])

    def is_as_promised(self, submission: Judgeable) -> bool:
        """Whether this is the verdict that the corpus asks for: right passes, wrong fails what it names."""
        if submission.check is None:
            return self.outcome == "passed"
        return self.outcome == "failed" and self.failing == submission.failing


@dataclass
class Results:
    """Results by name and device; later ones replace earlier ones."""

    store: Path | None = None
    found: dict[tuple[str, str], Result] = field(default_factory=dict)

    @classmethod
    def read(cls, store: Path | None, earlier: Iterable[Path] = ()) -> Results:
        """Return what `earlier` files and `store` hold.  A line cut short by a kill is passed over."""
        results = cls(store)
        for path in (*earlier, *([store] if store and store.exists() else [])):
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    result = Result(**json.loads(line))
                except (ValueError, TypeError):
                    continue
                results.found[result.name, result.device] = result
        return results

    def add(self, result: Result) -> None:
        """Keep a result, on disk before anything else happens."""
        self.found[result.name, result.device] = result
        if self.store:
            self.store.parent.mkdir(parents=True, exist_ok=True)
            with self.store.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(asdict(result)) + "\n")

    def of(self, submission: Judgeable, device: str) -> Result | None:
        """Return the result for these very sources, if there is one."""
        result = self.found.get((submission.name, device))
        return result if result and result.digest == submission.digest else None


def disagreements(first: Result, second: Result) -> tuple[str, ...]:
    """Return the checks that came out differently on two devices; `verdict` stands for a differing whole."""
    names = dict.fromkeys((*first.checks, *second.checks))
    differing = tuple(name for name in names if first.checks.get(name) != second.checks.get(name))
    return differing or (("verdict",) if first.outcome != second.outcome else ())
