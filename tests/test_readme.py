"""Documentation that tells the truth: commands, targets, variables, links."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def _code(document: Path) -> str:
    return "\n".join(CODE.findall(document.read_text()))


def _found(pattern: str) -> list[tuple[str, str]]:
    return [
        (str(document.relative_to(ROOT)), name)
        for document in DOCUMENTS
        for name in sorted(set(re.findall(pattern, _code(document), re.MULTILINE)))
    ]


def test_readme_says_the_two_commands() -> None:
    """A person who sees only the README finds the two commands that show and test everything."""
    assert {"demo", "test"} <= {name for file, name in _found(r"(?:^|`)make ([a-z]+)") if file == "README.md"}


@pytest.mark.parametrize(("document", "target"), _found(r"(?:^|`)make ([a-z-]+)"))
def test_make_target_exists(document: str, target: str) -> None:
    """Every `make TARGET` in a document is a target of the Makefile."""
    assert target in TARGETS, f"{document} names make {target}"


@pytest.mark.parametrize(("document", "variable"), _found(r"(?:^|`)make (?:[a-z]+ )?([A-Z_]+)="))
def test_make_variable_exists(document: str, variable: str) -> None:
    """Every variable that a document sets on the command line is one that the Makefile reads."""
    assert re.search(rf"^{variable} \?=", MAKEFILE, re.MULTILINE), f"{document} names {variable}"


def test_every_target_says_what_it_does() -> None:
    """`make help` is the command index: it lists every target that has a name of its own."""
    shown = subprocess.run(["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert {f"make {target}" for target in TARGETS} <= set(re.findall(r"make [a-z-]+", shown))


@pytest.mark.parametrize("command", sorted({name for _, name in _found(r"(?:^|`)grader ([a-z]+)")}))
def test_grader_command_exists(command: str) -> None:
    """Every `grader COMMAND` in a document is one that the program has."""
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli", command, "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout.lower()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    """Every relative link of a document names a file or folder that is there."""
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []
