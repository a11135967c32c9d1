"""`%%package`: a cell is kept as a file of a package, and written beside the notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.notebook import magic
from grader.notebook.answers import python_stub
from grader.notebook.session import SESSION


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in a folder and a session of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(SESSION, "files", {})


def test_a_cell_is_kept_and_written(tmp_path: Path) -> None:
    """The check sees the last-run text, and a learner can build the folder by hand."""
    magic.package("ship_it csrc/bindings.cpp", "// one")
    magic.package("ship_it csrc/bindings.cpp", "// two")
    assert SESSION.texts("ship_it", ("setup.py", "csrc/bindings.cpp")) == {"csrc/bindings.cpp": "// two"}
    assert (tmp_path / "ship_it/csrc/bindings.cpp").read_text() == "// two"


def test_an_untouched_cell_is_kept_and_not_written(tmp_path: Path) -> None:
    """A stub is no file to build from; the check says that it has not been attempted."""
    magic.package("ship_it setup.py", "\n".join(python_stub("ship_it")))
    assert "setup.py" in SESSION.files["ship_it"]
    assert not (tmp_path / "ship_it").exists()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ship_it", "say the exercise and the file"),
        ("ship_it ../../setup.py", "say the exercise and the file"),
        ("ship_it csrc/other.cu", "the files of ship_it are setup.py"),
        ("shipit setup.py", "Did you mean ship_it"),
        ("add_relu setup.py", "add_relu is no package"),
    ],
)
def test_other_files_are_refused(line: str, told: str) -> None:
    """A misspelt file would silently never be built."""
    with pytest.raises(ValueError, match=told):
        magic.package(line, "text")
