"""Program counters of a module become lines of its source."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from grader.simulator import symbols
from grader.toolchain.compiler import host_compiler

SOURCE = "int twice(int x) {\n  return 2 * x;\n}\n\nint thrice(int x) {\n  return 3 * x;\n}\n"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A shared library with line numbers."""
    source, library = tmp_path / "unit.cpp", tmp_path / "unit.so"
    source.write_text(SOURCE)
    compiler = host_compiler().path
    subprocess.run([compiler, "-g1", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def address_of(library: Path, function: str) -> str:
    """Return a function's address in the module."""
    listing = subprocess.run(["nm", "-C", library], capture_output=True, text=True, check=True).stdout
    return next("0x" + row.split()[0] for row in listing.splitlines() if f" T {function}(" in row)


def test_lines_are_added(module: Path) -> None:
    """Each report gets the line of its pc, and keeps all else."""
    reports = [
        {"kind": "assert", "pc": f"{module}+{address_of(module, name)}"} for name in ("twice", "thrice")
    ]
    resolved = symbols.resolve(reports)
    assert [report["line"] for report in resolved] == [1, 5]
    assert [report["kind"] for report in resolved] == ["assert", "assert"]
    assert "line" not in reports[0]


def test_known_lines_are_kept(module: Path) -> None:
    """A line that the engine knew is not looked up again."""
    (resolved,) = symbols.resolve([{"pc": f"{module}+{address_of(module, 'twice')}", "line": 77}])
    assert resolved["line"] == 77


def test_the_other_access_gets_its_line(module: Path) -> None:
    """Both accesses of a race have lines, the other one from its own pc."""
    first, second = (f"{module}+{address_of(module, name)}" for name in ("twice", "thrice"))
    report = {"kind": "data_race", "pc": first, "other": {"access": "read", "pc": second}}
    (resolved,) = symbols.resolve([report])
    assert (resolved["line"], resolved["other"]["line"]) == (1, 5)
    assert "line" not in report["other"]


def test_a_caller_names_the_line_where_the_access_has_none(module: Path) -> None:
    """An access inside a header is told by the first of its callers that has a line."""
    stack = [f"{module}+0xffffff", f"{module}+{address_of(module, 'thrice')}"]
    (resolved,) = symbols.resolve([{"pc": stack[0], "stack": stack}])
    assert resolved["line"] == 5


def test_unknown_addresses_stay_unknown(module: Path) -> None:
    """No pc, a module that is gone, or an address outside of the code gives no line."""
    reports = [{"kind": "leak"}, {"pc": "/nowhere/unit.so+0x10"}, {"pc": f"{module}+0xffffff"}]
    assert all("line" not in report for report in symbols.resolve(reports))
