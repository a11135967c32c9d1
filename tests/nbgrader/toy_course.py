"""A course of one toy lesson, graded in this process by a fake judge."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_course_judge
import nbformat
import pytest
from nbformat import NotebookNode
from traitlets.config import Config

from grader.nbgrader import release, warm
from grader.nbgrader.config import configure
from grader.nbgrader.seed import SEED_FILE, write_seed
from grader.notebook import declarations
from grader.notebook.declarations import Declared

LESSON = "02_toy"
ANSWER = "%%cuda add_relu\n// my own work\n// score 3\n"
DECLARED = (
    Declared("add_relu", LESSON, 3.0, ("first", "second"), ("cuda",)),
    Declared("add_relu_function", LESSON, 4.0, (), ("cuda", "python")),
    Declared("side_stream_scale", LESSON, 2.0, (), ("cuda",)),
)
TOY = """---
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A toy lesson

```{code-cell} ipython3
from grader import check
```

```{code-cell} ipython3
%%cuda add_relu
// given code
// BEGIN SOLUTION
// score 3
// END SOLUTION
```

```{code-cell} ipython3
check("add_relu")
```

```{code-cell} ipython3
%%cuda add_relu_function
// BEGIN SOLUTION
// score 2
// END SOLUTION
```

```{code-cell} ipython3
# answer: add_relu_function
def fused_add_relu(a, b):
    # BEGIN SOLUTION
    return a + b  # score 4
    # END SOLUTION
```

```{code-cell} ipython3
check("add_relu_function")
```

```{code-cell} ipython3
%%cuda side_stream_scale
// BEGIN SOLUTION
launch(stream); // score 2
// BEGIN STARTER
//| launch();
// END STARTER
// END SOLUTION
```

```{code-cell} ipython3
check("side_stream_scale")
```
"""
PLAIN = """
```{code-cell} ipython3
---
nbgrader: {grade: false, grade_id: plain_answer, locked: false, solution: true}
---
def twice(x):
    # BEGIN SOLUTION
    return 2 * x
    # END SOLUTION
```

```{code-cell} ipython3
---
nbgrader: {grade: true, grade_id: plain_test, locked: true, points: 2, solution: false}
---
assert twice(2) == 4
### BEGIN HIDDEN TESTS
assert twice(1234567) == 2469134
### END HIDDEN TESTS
```
"""


@pytest.fixture(autouse=True)
def toy_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Declare the toy lesson's exercises and forget the judges of other tests."""
    monkeypatch.setattr(declarations, "known", lambda: {one.id: one for one in DECLARED})
    warm.close_judges()
    fake_course_judge.CALLS.clear()
    fake_course_judge.OPENED.clear()
    yield
    warm.close_judges()


class Course:
    """A course directory with the toy lesson released."""

    def __init__(self, root: Path) -> None:
        """Stand for the course in this directory."""
        self.root = root

    def release(self, text: str) -> None:
        """Write the lesson and generate its release."""
        root = self.root
        lesson = root / f"{LESSON}.md"
        lesson.write_text(text, encoding="utf-8")
        write_seed(root / SEED_FILE)
        release.write_source(lesson, root / "source")
        release.generate(root, LESSON)

    def released(self) -> NotebookNode:
        """Return the released notebook."""
        return nbformat.read(self.root / "release" / LESSON / f"{LESSON}.ipynb", as_version=4)

    def answered(self, add_relu: str = ANSWER) -> NotebookNode:
        """Return the released notebook with an answer to `add_relu`."""
        notebook = self.released()
        cell(notebook, "add_relu").source = add_relu
        return notebook

    def submit(self, student: str, notebook: NotebookNode | str) -> None:
        """Hand in a notebook, or any text."""
        path = self.root / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = notebook if isinstance(notebook, str) else json.dumps(notebook)
        path.write_text(text, encoding="utf-8")

    def config(self) -> Config:
        """Return the course's configuration, with the fake judge."""
        config = Config()
        configure(config, self.root)
        config.JudgeAnswers.judge_factory = "fake_course_judge.FakeJudge"
        config.JudgeAnswers.device = "sim"
        return config

    def run(self, step: type[Any], **settings: Any) -> None:
        """Run one of nbgrader's converters on the lesson."""
        from nbgrader.coursedir import CourseDirectory

        config = self.config()
        directory = CourseDirectory(config=config, assignment_id=LESSON)
        converter = step(coursedir=directory, config=config)
        for name, value in settings.items():
            setattr(converter, name, value)
        converter.start()

    def autograde(self, **settings: Any) -> None:
        """Run nbgrader's own autograde."""
        from nbgrader.converters import Autograde

        self.run(Autograde, **settings)

    def grade(self, student: str, notebook: NotebookNode | str) -> dict[str, float | None]:
        """Hand in and autograde one notebook; return the scores by grade id."""
        self.submit(student, notebook)
        self.autograde()
        return self.scores(student)

    def scores(self, student: str) -> dict[str, float | None]:
        """Return the automatic scores that the gradebook has, by grade id."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as gradebook:
            notebook = gradebook.find_submission_notebook(LESSON, LESSON, student)
            return {grade.name: grade.auto_score for grade in notebook.grades}

    def autograded(self, student: str) -> NotebookNode:
        """Return the autograded notebook."""
        path = self.root / "autograded" / student / LESSON / f"{LESSON}.ipynb"
        return nbformat.read(path, as_version=4)

    def feedback(self, student: str) -> str:
        """Run nbgrader's own generate_feedback; return the page."""
        from nbgrader.converters import GenerateFeedback

        self.run(GenerateFeedback)
        return (self.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")


def cell(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    """Return the cell with this nbgrader id."""
    return next(one for one in notebook.cells if one.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return released courses to copy, by name: releasing one takes longer than grading in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declarations, "known", lambda: {one.id: one for one in DECLARED})
        made = {}
        for name, text in (("judged", TOY), ("plain", TOY + PLAIN)):
            made[name] = tmp_path_factory.mktemp(name)
            Course(made[name]).release(text)
        return made


@pytest.fixture
def course(templates: dict[str, Path], tmp_path: Path) -> Course:
    """Return a course whose lesson has judged exercises only."""
    return Course(shutil.copytree(templates["judged"], tmp_path / "course"))


@pytest.fixture
def course_with_tests(templates: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """Return a course whose lesson also has a plain nbgrader test cell with hidden tests.

    The toy's CUDA is none, and the kernels that run plain tests need not wait for a compiler to say so.
    """
    monkeypatch.setenv("CXX", str(tmp_path / "no_compiler"))
    return Course(shutil.copytree(templates["plain"], tmp_path / "course"))
