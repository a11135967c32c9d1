"""The authored lessons: what they must hold, and that each runs top to bottom on the simulator."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import torch

jupytext = pytest.importorskip("jupytext", reason="lessons are read with jupytext")

ROOT = Path(__file__).resolve().parents[1]
LESSONS = sorted((ROOT / "solutions").glob("[0-9][0-9]_*.md"))
SECONDS = 90
"""A lesson with answers filled in runs within this on two cores."""


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request: pytest.FixtureRequest) -> Path:
    """Return the path of one lesson."""
    return request.param


@pytest.fixture(params=["sim", "cuda"])
def device(request: pytest.FixtureRequest) -> str:
    """Return the kind of device that the cells run on."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a GPU: the cells run on it")
    return str(request.param)


def cells(lesson: Path, kind: str) -> list[str]:
    """Return the sources of a lesson's cells of one kind."""
    return [cell.source for cell in jupytext.read(lesson).cells if cell.cell_type == kind]


def prose(lesson: Path) -> str:
    """Return the text that a learner reads, without code blocks and inline code."""
    text = "\n".join(cells(lesson, "markdown"))
    return re.sub(r"`[^`\n]+`", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def test_there_are_lessons() -> None:
    """An empty solutions folder must not pass the tests below."""
    known = {
        "01_why_an_extension",
        "02_load_inline",
        "04_autograd",
        "05_streams",
        "07_irregular_and_novel",
        "08_shipping",
    }
    assert known <= {path.stem for path in LESSONS}


def test_a_lesson_opens_with_what_the_learner_will_be_able_to_do(lesson: Path) -> None:
    """The first prose cell has one title and the list of abilities."""
    first = cells(lesson, "markdown")[0]
    assert first.startswith(f"# {lesson.stem[:2]} ")
    assert "At the end of this lesson you will be able to" in first


def test_a_lesson_closes_with_public_reports(lesson: Path) -> None:
    """Every lesson links at least three public reports of the faults that it teaches."""
    links = re.findall(r"\]\((https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+)\)", prose(lesson))
    assert len(links) >= 3
    assert len(links) == len(set(links))


def test_prose_has_no_exclamation_marks(lesson: Path) -> None:
    """House style."""
    assert "!" not in prose(lesson)


def test_code_cells_name_no_vendor_device(lesson: Path) -> None:
    """Cells run unchanged on `sim` and on CUDA, so Python in them never says cuda."""
    for source in cells(lesson, "code"):
        if source.startswith("%%"):
            continue
        names = {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
        assert "cuda" not in names, source
        assert not re.search(r"device\s*=\s*[\"']", source), source


def test_sections_are_numbered_in_order(lesson: Path) -> None:
    """Prose refers to sections by number, so the numbers must run from 1 without gaps."""
    numbers = [
        int(n) for n in re.findall(r"^## (\d+) · ", "\n".join(cells(lesson, "markdown")), re.MULTILINE)
    ]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_lesson_asks_for_predictions(lesson: Path) -> None:
    """Between exercises stand cells whose outcome is predicted before they are run."""
    assert prose(lesson).count("**Predict.**") >= 3


def plain(function: ast.FunctionDef) -> str:
    """Return a function's text without annotations and docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    names = ", ".join(argument.arg for argument in function.args.args)
    return "\n".join([f"{function.name}({names})", *map(ast.unparse, body)])


def test_patterns_of_lesson_01_are_those_that_are_counted() -> None:
    """The lesson shows the six functions which the judge compiles, word for word."""
    from grader.exercises import compiler_first

    judged = ast.parse(Path(str(compiler_first.__file__)).read_text())
    shown = [ast.parse(source) for source in cells(ROOT / "solutions" / "01_why_an_extension.md", "code")
             if not source.startswith("%%")]  # fmt: skip
    texts = {plain(node) for tree in shown for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in judged.body:
        if isinstance(node, ast.FunctionDef) and node.name in compiler_first.PATTERNS:
            assert plain(node) in texts


def run(lesson: Path, folder: Path) -> Any:
    """Execute a lesson with its model answers, in a folder of its own."""
    nbclient = pytest.importorskip("nbclient", reason="lessons are executed with nbclient")
    notebook = jupytext.read(lesson)
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return notebook


def test_a_lesson_runs_top_to_bottom_with_full_marks(
    lesson: Path, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cell raises, every check of the learner's cells passes, and every picture has alt text."""
    monkeypatch.setenv("GRADER_DEVICE", device)
    notebook = run(lesson, tmp_path)
    checks = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        pages = "".join(str(output.get("data", {}).get("text/html", "")) for output in cell.outputs)
        assert "<img" not in pages or re.search(r'<img alt="[^"]{20,}"', pages), cell.source
        if re.fullmatch(r'check\("\w+"\)', cell.source.strip()):
            checks += 1
            assert re.search(r"✓ \w+: passed", pages), pages
    assert checks >= 1
