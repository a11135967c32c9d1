"""`make nvcc-check`: what nvcc accepts is what it must accept, and nothing is compiled twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.agreement import nvcc_check
from grader.toolchain import BuildResult, EnvironmentFault
from grader.toolchain.request import Diagnostic
from grader.verdict import Place


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand in for nvcc: it refuses every text that holds `member`."""
    texts: list[str] = []

    def compiles(text: str, *_: object) -> BuildResult:
        texts.append(text)
        refused = Diagnostic("error", "a member | of the host", Place(3))
        return BuildResult("member" not in text, diagnostics=[refused] if "member" in text else [])

    monkeypatch.setattr(nvcc_check.nvcc, "compiles", compiles)
    monkeypatch.setattr(nvcc_check.runtime, "ensure", lambda: None)
    monkeypatch.setattr(nvcc_check.toolkit, "only_compiling", lambda _: None)
    monkeypatch.setattr(nvcc_check, "_compiler", lambda: "nvcc 13")
    return texts


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """A corpus of one right and one wrong submission, and two cases."""
    corpus, cases = tmp_path / "submissions/add_relu", tmp_path / "cases"
    corpus.mkdir(parents=True)
    cases.mkdir()
    (corpus / "right__a.cu").write_text("// Reason: x\n")
    (corpus / "wrong__close__b.cu").write_text("// Reason: x\n// wrong")
    (cases / "both__a.cu").write_text("int x;\n")
    (cases / "neither__a.cu").write_text("member\n")
    where = ["--submissions", str(corpus.parent), "--cases", str(cases), "--out", str(tmp_path / "out")]
    return [*where, "--jobs", "1", "--table", str(tmp_path / "table.md")]


def test_right_submissions_and_cases_are_compiled_once(
    asked: list[str], arguments: list[str], tmp_path: Path
) -> None:
    """Wrong submissions are left out, what must be refused is, and a second run compiles nothing."""
    assert nvcc_check.main(arguments) == 0
    assert sorted(asked) == ["// Reason: x\n", "int x;\n", "member\n"]
    assert nvcc_check.main(arguments) == 0
    assert len(asked) == 3
    text = (tmp_path / "table.md").read_text()
    assert "1 right submissions, 2 cases, 0 not as said" in text
    assert "| cases/neither__a | refused: line 3: a member \\| of the host | 0 |" in text


def test_a_right_submission_that_nvcc_refuses_is_status_one(
    asked: list[str], arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Code that only the simulator takes is named, with nvcc's first error and its line."""
    (tmp_path / "submissions/add_relu/right__a.cu").write_text("// Reason: x\nmember\n")
    assert nvcc_check.main(arguments) == 1
    assert "add_relu/right__a: refused, line 3: a member" in capsys.readouterr().out
    assert "**not as said**" in (tmp_path / "table.md").read_text()


def test_what_was_not_compiled_is_not_as_it_should_be(
    asked: list[str], arguments: list[str], tmp_path: Path
) -> None:
    """When the time is over the rest is told as not compiled, and the status is no success."""
    assert nvcc_check.main([*arguments, "--budget", "0"]) == 1
    assert asked == []
    assert (
        "1 right submissions, 2 cases, 0 not as said, 3 not compiled yet"
        in (tmp_path / "table.md").read_text()
    )


def test_a_case_that_does_not_say_who_accepts_it_is_refused(
    asked: list[str], arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misnamed file is an error that names it."""
    (tmp_path / "cases/maybe__a.cu").write_text("")
    assert nvcc_check.main(arguments) == 2
    assert "maybe__a.cu" in capsys.readouterr().err


def test_without_nvcc_nothing_is_claimed(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine that lacks nvcc is told so, with a status of its own."""
    monkeypatch.setattr(nvcc_check.shutil, "which", lambda _: None)
    assert nvcc_check.main(arguments) == 3
    assert "nvcc was not found" in capsys.readouterr().err


def test_stand_ins_are_made_for_what_lacks_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Headers of CUDA's libraries are stood in for where the toolkit has none, never where it has them."""
    monkeypatch.setattr(nvcc_check.toolkit.shutil, "which", lambda _: "/usr/bin/nvcc")
    monkeypatch.setattr(nvcc_check.toolkit, "_top", lambda _: str(tmp_path / "cuda"))
    (tmp_path / "cuda/include").mkdir(parents=True)
    (tmp_path / "cuda/include/cusparse.h").touch()
    kit = nvcc_check.toolkit.only_compiling(tmp_path / "further")
    made = {path.name for path in (tmp_path / "further").iterdir()}
    assert "cublas_v2.h" in made
    assert "cusparse.h" not in made
    assert str(tmp_path / "further") in kit.flags
    assert kit.link_flags == []
    monkeypatch.setattr(nvcc_check.toolkit.shutil, "which", lambda _: None)
    with pytest.raises(EnvironmentFault, match="nvcc was not found"):
        nvcc_check.toolkit.only_compiling(tmp_path / "further")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_a_result_is_kept_for_the_headers_that_it_was_made_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of our headers voids what nvcc said before it."""
    before = nvcc_check._compiler()
    monkeypatch.setattr(nvcc_check.runtime, "headers_key", lambda: "0" * 16)
    assert nvcc_check._compiler() != before
