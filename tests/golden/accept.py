"""`python -m tests.golden.accept build/corpus/results.jsonl`: keep the messages of a run of `make corpus`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from grader.agreement import Results, Submission, read_corpus
from grader.verdict import Verdict
from tests.golden import messages

CORPUS = Path(__file__).parents[1] / "submissions"


def main(stored: Path) -> int:
    """Write every exercise's file; return 1 if a wrong submission of the corpus has no verdict."""
    results = Results.read(stored)
    wrong = [one for one in read_corpus(CORPUS) if one.check is not None]
    missing = [one.name for one in wrong if not _judged(results, one)]
    if missing:
        print(
            f"No verdict for {len(missing)} submissions, {missing[0]} the first: make corpus", file=sys.stderr
        )
        return 1
    accept(results, wrong)
    return 0


def accept(results: Results, wrong: Iterable[Submission]) -> None:
    """Keep the messages of these submissions, and forget those of others."""
    kept: dict[str, dict[str, str]] = {}
    for one in wrong:
        result = results.of(one, "sim")
        assert result is not None
        assert result.verdict is not None
        kept.setdefault(one.exercise, {})[one.path.stem] = messages.told(Verdict.from_json(result.verdict))
    for exercise, texts in kept.items():
        if texts != messages.read(exercise):
            messages.write(exercise, texts)
            print(f"accepted: {exercise}")
    messages.VERSIONS.write_text(messages.versions(), encoding="utf-8")


def _judged(results: Results, submission: Submission) -> bool:
    result = results.of(submission, "sim")
    return result is not None and result.is_verdict


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
