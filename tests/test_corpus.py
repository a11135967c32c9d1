"""Every submission of the corpus, judged on `sim`, gets the verdict that its name promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.agreement import SEED, CorpusError, Submission, read_corpus, read_submission
from grader.judge import Answer, Judge
from grader.verdict import CheckResult, Outcome, Verdict
from tests.golden import messages

CORPUS = Path(__file__).parent / "submissions"
SOURCE = Path(__file__).parents[2] / "shared" / "SOURCE.md"


def judged(judge: Judge, submission: Submission) -> Verdict:
    """Return the verdict on `sim`."""
    answer = Answer(cuda=submission.cuda, python=submission.python, files=submission.files)
    return judge.judge(submission.exercise, answer, device="sim", seed=SEED)


def failing(verdict: Verdict) -> dict[str, CheckResult]:
    """Return the checks that failed, by name."""
    return {check.name: check for check in verdict.checks if check.verdict is Outcome.FAILED}


def report(verdict: Verdict) -> str:
    """Return what each check said, for a failing test."""
    said = [f"{check.name}: {check.verdict} {check.message}" for check in verdict.checks]
    return "\n".join([str(verdict.verdict), verdict.message, *said])


def cure(submission: Submission, verdict: Verdict) -> str:
    """Return what to change where other checks failed than the file promises, and what each check said."""
    found = set(failing(verdict))
    more = sorted(found - {submission.check})
    sign = "//" if submission.path.suffix == ".cu" else "#"
    if submission.check not in found:
        told = f"{submission.path.name} passes {submission.check}: its name must tell the check that fails."
    elif more:
        told = (
            f"If it cannot but fail these too, give {submission.path.name} a line below its reason: "
            f"`{sign} Also fails: {', '.join(more)}`."
        )
    else:
        told = (
            f"It fails {submission.check} alone: take `{sign} Also fails: ...` out of {submission.path.name}."
        )
    return f"{told}\n{report(verdict)}"


def parameters(right: bool) -> Iterator[object]:
    """Yield the right or the wrong submissions as parameters."""
    for submission in read_corpus(CORPUS):
        if (submission.check is None) is right:
            yield pytest.param(submission, id=submission.name)


@pytest.mark.parametrize("submission", list(parameters(right=True)))
def test_right_submission_passes_every_check(judge: Judge, submission: Submission) -> None:
    """A right answer gets full marks, however unlike the model it is."""
    verdict = judged(judge, submission)
    assert verdict.verdict is Outcome.PASSED, report(verdict)
    assert verdict.score == verdict.max_score > 0


@pytest.mark.parametrize("submission", list(parameters(right=False)))
def test_wrong_submission_fails_the_check_in_its_name(judge: Judge, submission: Submission) -> None:
    """A wrong answer fails the check in its name and those it says it cannot but fail, and is told why.

    What it is told was accepted with `make golden`, and holds nothing that means nothing to learners.
    """
    verdict = judged(judge, submission)
    assert verdict.verdict is Outcome.FAILED, report(verdict)
    assert set(failing(verdict)) == submission.failing, cure(submission, verdict)
    assert verdict.score < verdict.max_score
    for check in failing(verdict).values():
        assert check.score < check.max_score or check.max_score == 0
        assert len(check.message.split()) >= 4, report(verdict)
        assert messages.foreign(check.message) is None, report(verdict)
    if messages.are_comparable():
        accepted = messages.read(submission.exercise).get(submission.path.stem, "")
        told = messages.told(verdict)
        assert messages.alike(told, accepted), f"{told}\nsay make golden if the new words are better"


@pytest.mark.skipif(not SOURCE.exists(), reason="the source document is not part of this repository")
def test_worked_example_of_the_source_gets_full_marks(judge: Judge) -> None:
    """The source document's own `add_relu`, pasted in as it stands, is a full-marks answer."""
    text = SOURCE.read_text(encoding="utf-8")
    example = re.search(r'cuda_source = r"""(.*?)"""', text, re.DOTALL)
    assert example is not None
    verdict = judge.judge("add_relu", Answer(cuda=example[1], python=None), device="sim", seed=SEED)
    assert verdict.verdict is Outcome.PASSED, report(verdict)


def test_golden_messages_are_those_of_the_corpus() -> None:
    """Every wrong submission has an accepted message, and none is left of one that is gone."""
    wrong = [one for one in read_corpus(CORPUS) if one.check is not None]
    kept = {f"{one.exercise}/{stem}" for one in wrong for stem in messages.read(one.exercise)}
    assert kept == {one.name for one in wrong}
    assert {path.stem for path in messages.FOLDER.glob("*.txt")} - {"versions"} == {
        one.exercise for one in wrong
    }


def test_corpus_covers_every_exercise_both_ways() -> None:
    """Every exercise of the corpus has at least four right and eight wrong submissions."""
    corpus = read_corpus(CORPUS)
    for exercise in {submission.exercise for submission in corpus}:
        mine = [submission for submission in corpus if submission.exercise == exercise]
        right = sum(submission.check is None for submission in mine)
        assert right >= 4, exercise
        assert len(mine) - right >= 8, exercise


@pytest.mark.parametrize(
    ("failed", "told"),
    [
        (["close", "launch"], "`// Also fails: launch`"),
        (["launch"], "wrong__close__a.cu passes close"),
        (["close"], "fails close alone"),
    ],
)
def test_other_checks_than_promised_come_with_the_cure(tmp_path: Path, failed: list[str], told: str) -> None:
    """An author whose submission fails other checks than its name says reads which line mends that."""
    path = tmp_path / "wrong__close__a.cu"
    path.write_text("// Reason: x\n// Also fails: memory\n")
    checks = tuple(CheckResult(name, Outcome.FAILED, 0.0, 1.0, "why") for name in failed)
    assert told in cure(read_submission(path), Verdict("add_relu", "sim", Outcome.FAILED, 0.0, 2.0, checks))


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("rihgt__a.cu", "// Reason: x\n", "name it right__"),
        ("right__a.cu", "#include <torch/extension.h>\n", "// Reason:"),
        ("right__a.cu", "// Reason: x\n// Also fails: close\n", "fails nothing"),
    ],
)
def test_submission_that_does_not_say_what_it_is_is_refused(
    tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    """A file whose name or first lines do not promise a verdict is an error that names the file."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(CorpusError, match=complaint) as caught:
        read_submission(path)
    assert str(path) in str(caught.value)


def test_python_without_its_cuda_source_is_refused(tmp_path: Path) -> None:
    """A stray Python file would silently never be judged."""
    folder = tmp_path / "add_relu"
    folder.mkdir()
    (folder / "right__a.cu").write_text("// Reason: x\n")
    (folder / "right__b.py").write_text("")
    with pytest.raises(CorpusError, match=r"right__b\.py"):
        read_corpus(tmp_path)


def test_empty_corpus_is_refused(tmp_path: Path) -> None:
    """No submissions at all is a mistake and not a success."""
    with pytest.raises(CorpusError, match="no submissions"):
        read_corpus(tmp_path)
