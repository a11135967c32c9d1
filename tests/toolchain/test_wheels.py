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
    options = simulated._read(words)
    assert options.include == ["one", "two"]
    assert options.define == ["A=1", "B"]


def test_an_old_setuptools_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a bdist_wheel of its own setuptools cannot make a wheel, and no learner can mend that."""
    monkeypatch.setattr(kit, "version", lambda name: "68.2.2")
    with pytest.raises(EnvironmentFault, match="pip install -U setuptools"):
        Kit.find("sim")


def test_the_stand_ins_find_what_this_process_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where dependencies are on the path by PYTHONPATH alone, the stand-ins have them, ours first."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.syspath_prepend(str(elsewhere))
    kit.write(Kit("cuda", "/usr/bin/g++"), tmp_path / "kit")
    script = (tmp_path / "kit/bin/nvcc").read_text()
    assert f"PYTHONPATH={tmp_path / 'kit/lib'}:{elsewhere}:" in script


def test_compilers_that_do_not_answer_are_told_before_the_build(tmp_path: Path) -> None:
    """A missing nvcc is the machine's fault, in words, and costs no learner a point."""
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\nexit 0\n")
    compiler.chmod(0o755)
    kit.write(Kit("cuda", str(compiler), str(compiler)), tmp_path / "whole")
    assert kit.spoken(tmp_path / "whole") == ""
    kit.write(Kit("cuda", str(compiler), "/no/such/nvcc"), tmp_path / "lacking")
    assert "nvcc --version: " in kit.spoken(tmp_path / "lacking")


def test_a_toolkit_has_the_real_ones_headers_and_libraries(tmp_path: Path) -> None:
    """PyTorch looks for both below CUDA_HOME, which is ours."""
    real = tmp_path / "cuda"
    (real / "include").mkdir(parents=True)
    (real / "include/cuda.h").touch()
    kit.write(Kit("cuda", "/usr/bin/g++", "/usr/bin/nvcc", str(real)), tmp_path / "kit")
    assert (tmp_path / "kit/include/cuda.h").exists()
    assert (tmp_path / "kit/lib64").is_dir()
