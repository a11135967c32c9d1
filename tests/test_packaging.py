"""What is in the repository, in a wheel, and in an environment without Jupyter."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {"pyproject.toml", "notebooks", "solutions", "grader", "tests", "README.md"}
BESIDE_IT = {"Makefile", "docs", "benchmarks", "CHANGELOG.md", "LICENSE"}
BUILD_PRODUCTS = {".so", ".o", ".gch", ".pyc"}
NOT_ON_A_GPU_NODE = ("IPython", "ipykernel", "jupyter_core", "jupytext", "matplotlib", "nbformat", "nbgrader")


def _tracked() -> list[str]:
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel built from a copy of the sources, so that nothing is left beside them."""
    copy = tmp_path_factory.mktemp("sources")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(ROOT / "grader", copy / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(copy),
        str(copy),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = copy.glob("*.whl")
    return zipfile.ZipFile(built)


def test_wheel_carries_every_source_of_the_runtime(wheel: zipfile.ZipFile) -> None:
    """A wheel holds each tracked file of `grader/`: without one header the runtime cannot be built."""
    expected = {name for name in _tracked() if name.startswith("grader/")}
    assert "grader/simulator/csrc/engine/memory.h" in expected
    assert expected - set(wheel.namelist()) == set()


def test_wheel_carries_no_build_product(wheel: zipfile.ZipFile) -> None:
    """Nothing that was compiled on the packaging machine travels to another."""
    assert [name for name in wheel.namelist() if Path(name).suffix in BUILD_PRODUCTS] == []


def test_wheel_requires_no_jupyter(wheel: zipfile.ZipFile) -> None:
    """Installing `grader` without extras asks for none of the notebook's packages."""
    (metadata,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    text = wheel.read(metadata).decode()
    needed = [
        line for line in text.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line
    ]
    assert any("torch" in line for line in needed)
    assert not any(re.search("jupy|nbgrader|ipykernel|matplotlib", line) for line in needed)


@pytest.mark.parametrize("module", ["grader", "grader.judge", "grader.cli", "grader.toolchain"])
def test_imports_without_jupyter(module: str) -> None:
    """A GPU node has torch and no Jupyter: what judges there imports all the same."""
    hide = f"import sys; sys.modules.update(dict.fromkeys({NOT_ON_A_GPU_NODE!r}))"
    done = subprocess.run([sys.executable, "-c", f"{hide}; import {module}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_top_level_is_as_fixed() -> None:
    """The six fixed names are there, and beside them only the few that the layout allows and dot files."""
    names = {name.split("/")[0] for name in _tracked()}
    assert names >= TOP_LEVEL
    assert {name for name in names - TOP_LEVEL - BESIDE_IT if not name.startswith(".")} == set()


def test_constraints_pin_only_what_is_declared() -> None:
    """Each pinned package is one that `pyproject.toml` asks for: a pin of anything else is a leftover."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = {re.split(r"[<>=~!]", item)[0] for items in lists for item in items}
    pins = [line for line in (ROOT / ".ci" / "constraints.txt").read_text().splitlines() if "==" in line]
    assert pins
    assert {pin.split("==")[0] for pin in pins} <= declared
