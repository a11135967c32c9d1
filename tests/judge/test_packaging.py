"""What a worker says of a package's build, and what learners read of one that failed."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.judge import diagnosis, packaging
from grader.judge.faults import WorkerLostError
from grader.judge.worker import packaging as installing

FILES = {"setup.py": "import torchh\n", "csrc/a.cu": "int x\n"}
FINE: dict[str, Any] = {"name": "a-1-py3-none-any.whl", "output": "", "commands": []}


@pytest.mark.parametrize(
    ("header", "buffers"),
    [
        (FINE | {"name": "../a.whl"}, [b"x"]),
        (FINE | {"name": "a.txt"}, [b"x"]),
        (FINE, []),
        (FINE | {"output": 3}, [b"x"]),
        (FINE | {"commands": [{"tool": "nvcc", "arguments": [3]}]}, [b"x"]),
        (FINE | {"broken": "Traceback"}, [b"x"]),
    ],
)
def test_odd_replies_are_refused(header: dict[str, Any], buffers: list[bytes]) -> None:
    """A name that leaves the cache's folder, no bytes, or a command that is none ends the attempt."""
    with pytest.raises(WorkerLostError):
        packaging._read(header, buffers)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
            "ModuleNotFoundError: No module named 'torchh'\n",
            "No module named 'torchh' (setup.py, line 1)",
        ),
        (
            "[1/2] nvcc\nFAILED: a.o\ncsrc/a.cu:1:6: error: expected ';' at end of input\n"
            "ninja: build stopped: subcommand failed.\nRuntimeError: Error compiling objects for extension\n",
            "(csrc/a.cu, line 1)",
        ),
        (
            "ninja: error: '/tmp/x/csrc/b.cu', needed by '/tmp/x/b.o', missing and no known rule to make it\n"
            "    raise RuntimeError(message) from e\nRuntimeError: Error compiling objects for extension\n",
            "setup.py lists csrc/b.cu, and the package has no such file",
        ),
        ("SystemExit: error: unknown file type '.cu' (from 'csrc/a.cu')\n", "BuildExtension"),
        ("c++: error: unrecognized command-line option '-lineinfo'\n", "a list for each compiler"),
    ],
)
def test_a_failed_build_tells_what_failed_first(output: str, told: str) -> None:
    """The compiler's error or the exception in setup.py, with its line, and not how ninja ended."""
    built = diagnosis.packaged({"wheel": None, "output": output, "commands": []}, FILES, None)
    assert not built.ok
    assert told in built.message
    assert "ninja" not in built.message


def test_line_tables_are_looked_for_in_the_installed_code(tmp_path: Path) -> None:
    """The section's name in an extension module of the wheel decides, whatever else the wheel holds."""
    for name, code, expected in (("a", b".nv_debug_line_sass", True), ("b", b".debug_line", False)):
        path = tmp_path / f"{name}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("myops/_C.so", b"\x7fELF" + code)
            archive.writestr("myops/__init__.py", "# .nv_debug_line_sass")
        assert packaging.has_line_table(str(path)) is expected


def test_a_wheel_is_installed_as_pip_does(tmp_path: Path) -> None:
    """What lies in the wheel's data folder for libraries comes to stand beside its modules."""
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("myops/__init__.py", "")
        archive.writestr("a-1.data/purelib/myops/data.txt", "x")
        archive.writestr("a-1.data/scripts/run", "")
    installing.install(wheel, tmp_path / "installed")
    found = sorted(path.name for path in (tmp_path / "installed/myops").iterdir())
    assert found == ["__init__.py", "data.txt"]
    assert not (tmp_path / "installed/run").exists()


def test_a_changed_toolchain_keeps_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of its modules changes, a wheel that the old one built is not taken for the new one's."""
    kit = {"device": "sim"}
    before = packaging._key(FILES, kit)
    read = Path.read_text

    def changed(self: Path, *arguments: Any, **options: Any) -> str:
        text = read(self, *arguments, **options)
        return text + "# changed\n" if self.name == "units.py" else text

    monkeypatch.setattr(Path, "read_text", changed)
    assert packaging._key(FILES, kit) != before
