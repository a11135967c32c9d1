"""Shadow cells of small elements lose nothing, however many different accesses they must tell apart."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from grader.toolchain.compiler import host_compiler

HERE = Path(__file__).parent
ENGINE = HERE.parents[1] / "grader" / "simulator" / "csrc" / "engine"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the cells with the program that compares them with plain records."""
    compiler = host_compiler().path
    made = tmp_path_factory.mktemp("cells") / "fine_cells"
    sources = [str(HERE / "fine_cells.cpp"), str(ENGINE / "fine_cells.cpp")]
    command = [compiler, "-std=c++17", "-O1", "-I", str(ENGINE), *sources, "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("events", [1, 5, 20, 63, 64, 2000])
def test_no_record_is_lost(program: Path, events: int) -> None:
    """Each cell gives back what was put there last, unless that was of an earlier block."""
    for seed in range(3):
        command = [str(program), str(seed), str(events)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0\n"
