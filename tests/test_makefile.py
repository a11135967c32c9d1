"""The Makefile on machines that lack something: one clear message, nothing half made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDED = ("make", "bash", "git", "awk", "cksum", "touch", "mkdir", "cat")


class Machine:
    """A machine that has only the programs in one folder."""

    def __init__(self, folder: Path) -> None:
        """Give it what every Linux has."""
        self.programs = folder / "programs"
        self.venv = folder / "venv"
        self.programs.mkdir()
        for name in NEEDED:
            (self.programs / name).symlink_to(shutil.which(name) or pytest.fail(f"no {name} here"))

    def install(self, name: str, script: str) -> None:
        """Add a program written in bash."""
        program = self.programs / name
        program.write_text(f"#!{self.programs}/bash\n{script}\n")
        program.chmod(0o755)

    def install_python(self, refuse: str = "nothing") -> None:
        """Add Python; a program text that contains `refuse` fails."""
        interpreter = Path(sys.executable).resolve()
        self.install("python3", f'[[ "${{2-}}" == *"{refuse}"* ]] && exit 1; exec {interpreter} "$@"')

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run make in the repository, with an environment folder of its own."""
        kept = {name: value for name, value in os.environ.items() if name in {"HOME", "LANG"}}
        command = [str(self.programs / "make"), "-C", str(ROOT), f"VENV={self.venv}", *arguments]
        environment = {**kept, "PATH": str(self.programs)}
        return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without Python and without a compiler."""
    return Machine(tmp_path)


def test_help_needs_nothing(machine: Machine) -> None:
    """`make` alone lists the commands, before anything is installed."""
    done = machine.make()
    assert done.returncode == 0
    assert "make demo" in done.stdout


def test_no_python(machine: Machine) -> None:
    """Without Python the message names the package, and no environment is begun."""
    done = machine.make("env")
    assert done.returncode != 0
    assert "apt-get install python3" in done.stderr
    assert not machine.venv.exists()


@pytest.mark.parametrize(
    ("refuse", "words"),
    [
        ("version_info", "needs Python 3.11 or newer"),
        ("ensurepip", "apt-get install python3-venv"),
        ("Python.h", "apt-get install python3-dev"),
    ],
)
def test_python_lacks_something(machine: Machine, refuse: str, words: str) -> None:
    """An old Python, one without `venv` and one without headers each get their own message."""
    machine.install_python(refuse)
    machine.install("g++", "exit 0")
    done = machine.make("env")
    assert done.returncode != 0
    assert words in done.stderr
    assert not machine.venv.exists()


def test_no_compiler(machine: Machine) -> None:
    """Without g++ the message names the package, before torch is downloaded."""
    machine.install_python()
    done = machine.make("env")
    assert done.returncode != 0
    assert "apt-get install g++" in done.stderr
    assert not machine.venv.exists()
