"""Namespaces hold what is granted wherever it lies, and are used where Python starts in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.judge.confinement import namespaces
from grader.judge.confinement.policy import Policy, for_python

needs_namespaces = pytest.mark.skipif(not namespaces.available(), reason="this machine makes no namespaces")


def test_the_temporary_directory_lies_under_what_is_granted_in_it() -> None:
    """What is granted inside of it is mounted after it, and what contains it before."""
    words = namespaces.command(Policy(("/", "/usr"), ("/tmp/inside",)), devices=False)
    assert words.index("/") < words.index(namespaces.TEMPORARY) < words.index("/tmp/inside")


@needs_namespaces
def test_what_lies_in_a_temporary_directory_can_be_granted(tmp_path: Path) -> None:
    """A file below /tmp is there for a process that is granted its directory; one beside it is not."""
    for name in ("granted", "beside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    policy = for_python()
    command = namespaces.command(Policy((*policy.read, str(tmp_path / "granted")), ()), devices=False)
    found = "import pathlib, sys; print([str(one.name) for one in pathlib.Path(sys.argv[1]).iterdir()])"
    ran = subprocess.run(
        [*command, sys.executable, "-c", found, str(tmp_path)], capture_output=True, text=True
    )
    assert ran.stdout.strip() == "['granted']", ran.stderr


@needs_namespaces
def test_namespaces_that_cannot_start_python_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python is not to be found in them, the layers that remain are used, and `full` is refused."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert not namespaces.available.__wrapped__()
