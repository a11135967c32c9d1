"""The demo's sample submissions."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.demo import LESSONS, SAMPLES, Sample, StepFailedError, Watch, answered, nbgrader, sampled
from grader.nbgrader.marks import Mark

SAMPLES_FOLDER = Path(__file__).parent / "submissions"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.student)
def test_samples_are_files_of_the_corpus(sample: Sample) -> None:
    """Each answer of each sample is a file of the corpus, for an exercise of a lesson that is released."""
    for lesson, answers in sample.lessons().items():
        assert lesson in LESSONS
        for exercise, stem in answers.items():
            assert (SAMPLES_FOLDER / exercise / f"{stem}.cu").exists()


def test_seven_students() -> None:
    """The demo shows seven hand-ins, of students of their own, two of them right in every lesson."""
    assert len({sample.student for sample in SAMPLES}) == 7
    right = [s for s in SAMPLES if all(stem.startswith("right__") for stem in s.answers.values())]
    assert [set(sample.lessons()) for sample in right] == [set(LESSONS)] * 2


def test_answers_go_below_the_first_line_of_their_cells(tmp_path: Path) -> None:
    """A file of the corpus replaces the stub in its cell; other cells stay as they were released."""
    (tmp_path / "add_relu_function").mkdir()
    for suffix in ("cu", "py"):
        (tmp_path / "add_relu_function" / f"right__x.{suffix}").write_text(f"text of the {suffix} file\n")
    cells = [
        new_markdown_cell("Prose"),
        new_code_cell("%%cuda add_relu_function\nstub"),
        new_code_cell("# answer: add_relu_function\nstub"),
        new_code_cell('check("add_relu_function")'),
        new_code_cell("%%cuda add_relu\nstub"),
    ]
    notebook = answered(new_notebook(cells=cells), {"add_relu_function": "right__x"}, tmp_path)
    assert [cell.source for cell in notebook.cells] == [
        "Prose",
        "%%cuda add_relu_function\ntext of the cu file\n",
        "# answer: add_relu_function\ntext of the py file\n",
        'check("add_relu_function")',
        "%%cuda add_relu\nstub",
    ]
    nbformat.validate(notebook)


def test_a_failed_step_shows_what_nbgrader_said(tmp_path: Path) -> None:
    """When a command of nbgrader fails, its last lines are in the error and all of them in the log."""
    seen: list[str] = []
    with pytest.raises(StepFailedError, match="no_such_lesson"):
        nbgrader(tmp_path, ["autograde", "no_such_lesson"], seen.append)
    assert seen
    assert seen[-1] in (tmp_path / "demo.log").read_text()


def test_verdicts_are_told_as_they_come() -> None:
    """While nbgrader works, each sample's verdict is shown with its student; the rest of the log is not."""
    watch = Watch()
    log = [
        "[AutogradeApp | INFO] Converting notebook /tmp/course/submitted/off-by-one/02_x/02_x.ipynb",
        "[AutogradeApp | INFO] ✗ add_relu: failed (9 of 10 points, sim, 3.3 s)",
        "[AutogradeApp | INFO] ○ leaky_relu: not attempted (0 of 11 points)",
        "[AutogradeApp | INFO] Converting notebook /tmp/course/autograded/off-by-one/02_x/02_x.ipynb",
    ]
    [told] = [told for line in log if (told := watch.told(line))]
    assert " ".join(told.split()) == "off-by-one ✗ add_relu: failed (9 of 10 points, sim, 3.3 s)"


def test_what_a_sample_does_not_answer_is_not_in_its_table() -> None:
    """A student called `right` does not seem to lose the points of exercises outside the sample."""
    rows = [
        Mark("right", "02_load_inline", "add_relu", 10.0, 10.0, ""),
        Mark("right", "02_load_inline", "leaky_relu", 0.0, 11.0, "The answer is as it was released."),
        Mark("wrong-gradient", "04_autograd", "add_relu", 0.0, 10.0, ""),
    ]
    assert sampled(rows) == rows[:1]
