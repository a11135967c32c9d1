"""A wheel in a lesson: what it holds, what compilers were told, and a program that uses it installed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from grader.notebook.packages import Wheel


@pytest.fixture
def wheel(tmp_path: Path) -> Wheel:
    """Write a wheel of one package, with the command of one compilation."""
    path = tmp_path / "lesson_package-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("lesson_package/__init__.py", "VALUE = 5\n")
        archive.writestr("lesson_package-1.dist-info/METADATA", "Name: lesson_package\n")
    arguments = ["-I/opt/include", "-O3", "-c", "/tmp/a.cu", "-o", "/tmp/a.o", "-lineinfo"]
    return Wheel(path, ({"tool": "nvcc", "source": "/tmp/a.cu", "arguments": arguments},))


def test_contents_and_texts_are_those_of_the_file(wheel: Wheel) -> None:
    """Names come with their sizes, and a text is found by how its name ends."""
    assert ("lesson_package/__init__.py", 10) in wheel.contents()
    assert wheel.text("METADATA") == "Name: lesson_package\n"


def test_flags_are_shown_without_paths(wheel: Wheel) -> None:
    """A lesson shows what was chosen, and nothing of the machine."""
    assert wheel.flags("nvcc") == "-O3 -c -o -lineinfo"


def test_a_program_has_the_installed_package(wheel: Wheel, tmp_path: Path) -> None:
    """It runs where the sources are not, and an error is its last line."""
    program = "import lesson_package, os; print(lesson_package.VALUE, os.listdir())"
    assert wheel.run(program) == "5 []"
    assert wheel.run("print(1); raise ValueError('x')") == "1\nValueError: x"
