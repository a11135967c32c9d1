"""Compilers that stand in for nvcc and c++ while a package is built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.toolchain.errors import EnvironmentFault
from grader.toolchain.wheels import Kit, kit, simulated, standin


def test_the_toolkit_leads_pytorch_to_the_stand_ins(tmp_path: Path) -> None:
    """Both tools are programs, the settings come back as they were, and nothing of the judge is copied."""
    wanted = Kit("cuda", "/usr/bin/g++", "/opt/cuda/bin/nvcc", "/opt/cuda")
    variables = kit.write(wanted, tmp_path)
    assert Kit(**json.loads((tmp_path / standin.SETTINGS).read_text())) == wanted
    for name in ("CXX", "PYTORCH_NVCC"):
        assert Path(variables[name]).stat().st_mode & 0o111
    assert "TORCH_CUDA_ARCH_LIST" not in variables
    copied = {path.name for path in (tmp_path / "lib/grader").iterdir()}
    assert copied == {"__init__.py", "verdict.py", "toolchain"}


def test_the_real_nvcc_gets_the_real_host_compiler() -> None:
    """What nvcc asks of its host compiler is no command of the package's, and code is left uncompressed."""
    real = Kit("cuda", "/usr/bin/g++", "/opt/cuda/bin/nvcc").to_json()
    words = ["-c", "a.cu", "-o", "a.o", "-ccbin", "/toolkit/bin/c++", "-O3"]
    assert standin.real("nvcc", real, words) == [
        "/opt/cuda/bin/nvcc", "--no-compress", "-c", "a.cu", "-o", "a.o", "-ccbin", "/usr/bin/g++", "-O3"
    ]  # fmt: skip
    assert standin.real("c++", real, ["-shared", "a.o"]) == ["/usr/bin/g++", "-shared", "a.o"]


@pytest.mark.parametrize(
    ("standard", "year"), [("c++17", 17), ("gnu++20", 20), ("c++2a", 20), ("c++0x", 11), ("c++latest", 99)]
)
def test_standards_are_compared_by_year(standard: str, year: int) -> None:
    """Drafts count as what became of them, and an unknown one as new enough."""
    assert simulated._year(standard) == year


def test_options_are_read_joined_and_apart() -> None:
    """`-I dir`, `-Idir` and their like give the same values."""
    words = ["-Ione", "-I", "two", "-DA=1", "-D", "B"]
    assert simulated._gathered(words, "I") == ["one", "two"]
    assert simulated._gathered(words, "D") == ["A=1", "B"]


def test_an_old_setuptools_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a bdist_wheel of its own setuptools cannot make a wheel, and no learner can mend that."""
    monkeypatch.setattr(kit, "version", lambda name: "68.2.2")
    with pytest.raises(EnvironmentFault, match="pip install -U setuptools"):
        Kit.find("sim")
