"""`check`, `hint` and `%%cuda` in a running IPython shell, with a judge and a compiler of straw."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import grader
from grader.notebook import building, checking, magic
from grader.notebook.answers import digest
from grader.notebook.building import BuildUnavailableError, Built
from grader.notebook.checking import check, hint
from grader.notebook.session import SESSION
from grader.verdict import CheckResult, Outcome, Place, Verdict


class Straw:
    """A judge that passes what says so, and remembers what it was asked."""

    def __init__(self) -> None:
        """Have been asked nothing."""
        self.asked: list[tuple[str, dict[str, str], int]] = []
        self.fault: Exception | None = None

    def __enter__(self) -> Straw:
        """Return itself."""
        return self

    def __exit__(self, *reason: object) -> None:
        """Do nothing."""

    def start(self) -> None:
        """Do nothing."""

    def judge(
        self, exercise: str, texts: Mapping[str, str], *, device: str, seed: int | None, first_line: int
    ) -> Verdict:
        """Pass a text that says it is right."""
        self.asked.append((exercise, dict(texts), first_line))
        if self.fault:
            raise self.fault
        passed = any("right" in text for text in texts.values())
        outcome = Outcome.PASSED if passed else Outcome.FAILED
        result = CheckResult("close", outcome, 4.0 * passed, 4.0, "" if passed else "got 1, expected 2")
        return Verdict(exercise, "sim", outcome, result.score, 4.0, (result,))


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Straw]:
    """Give this session a judge of straw and no answers."""
    straw = Straw()
    monkeypatch.setattr(SESSION, "make_judge", lambda: straw)
    SESSION.close()
    SESSION.cuda.clear()
    SESSION.hints.clear()
    yield straw
    SESSION.close()
    SESSION.cuda.clear()


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the compiler; `answer` is what it builds or raises."""
    straw: dict[str, Any] = {"answer": Built(Path("module.so"), ("add_relu", "check"), (), 1.1, False)}

    def build(name: str, source: str, device: str, say: object) -> Built:
        if isinstance(straw["answer"], Exception):
            raise straw["answer"]
        return straw["answer"]

    monkeypatch.setattr(magic, "build", build)
    return straw


@pytest.fixture
def shell(judge: Straw, compiler: dict[str, Any], tmp_path: Path) -> Iterator[InteractiveShell]:
    """Run an IPython shell of its own, with the magic registered."""
    running = InteractiveShell.instance(ipython_dir=str(tmp_path))
    running.history_manager.enabled = False
    grader.load_ipython_extension(running)
    running.run_cell("from grader import check, hint", store_history=True)
    yield running
    InteractiveShell.clear_instance()
    sys.modules.pop("kernels", None)


def _run(shell: InteractiveShell, source: str) -> Any:
    result = shell.run_cell(source, store_history=True)
    assert result.error_in_exec is None
    return result.result


def test_importing_grader_registers_the_magic(shell: InteractiveShell) -> None:
    """`import grader` inside IPython is enough, and doing it again changes nothing."""
    before = len(shell.input_transformers_cleanup)
    grader._register_in_running_shell()
    assert shell.find_cell_magic("cuda") is not None
    assert len(shell.input_transformers_cleanup) == before


def test_check_judges_the_last_run_cells(shell: InteractiveShell, judge: Straw) -> None:
    """The last-run text of both answer cells goes to the judge, lines counted from the magic line."""
    _run(shell, "%%cuda add_relu_function\n// first\n")
    _run(shell, "# answer: add_relu_function\nx = 1")
    _run(shell, "%%cuda add_relu_function\n// right\n")
    _run(shell, "# answer: add_relu_function\nx = 2")
    report = _run(shell, 'check("add_relu_function")')
    texts = {"cuda": "// right\n", "python": "# answer: add_relu_function\nx = 2"}
    assert judge.asked == [("add_relu_function", texts, 2)]
    assert float(report) == 4.0


def test_python_alone_needs_no_cuda_cell(shell: InteractiveShell, judge: Straw) -> None:
    """An exercise whose answer is Python is judged by its one cell, and says so when that was not run."""
    missing = _run(shell, 'check("traffic")')
    assert "# answer: traffic" in missing.verdict.message
    _run(shell, "# answer: traffic\nx = 'right'")
    assert float(_run(shell, 'check("traffic")')) == 4.0
    assert judge.asked == [("traffic", {"python": "# answer: traffic\nx = 'right'"}, 2)]


def test_an_answer_with_an_error_is_still_the_answer(shell: InteractiveShell, judge: Straw) -> None:
    """A Python answer cell that raises, or does not parse, is judged as typed."""
    _run(shell, "%%cuda add_relu_function\n// cuda\n")
    shell.run_cell("# answer: add_relu_function\nx = (", store_history=True)
    _run(shell, 'check("add_relu_function")')
    assert judge.asked[0][1]["python"] == "# answer: add_relu_function\nx = ("


def test_a_report_reads_as_a_plain_number(shell: InteractiveShell) -> None:
    """nbgrader reads the score from text/plain; the card is the HTML."""
    _run(shell, "%%cuda add_relu\n// wrong\n")
    report = _run(shell, 'check("add_relu")')
    bundle, _ = shell.display_formatter.format(report)
    assert bundle["text/plain"] == repr(report) == "0.0"
    assert "got 1, expected 2" in bundle["text/html"]


def test_nothing_run_is_not_attempted(shell: InteractiveShell, judge: Straw) -> None:
    """A check before its answer cell says which cell to run, without the judge and without a traceback."""
    report = _run(shell, 'check("add_relu")')
    assert report.verdict.verdict is Outcome.NOT_ATTEMPTED
    assert "`%%cuda add_relu` has not been run" in report.verdict.message
    assert judge.asked == []


def test_untouched_cells_are_not_attempted(
    shell: InteractiveShell, judge: Straw, capsys: pytest.CaptureFixture[str]
) -> None:
    """Stubs run without a traceback, in CUDA and in Python, and their check says not attempted."""
    _run(
        shell, '%%cuda add_relu_function\n// YOUR CODE HERE\n#error "add_relu_function: not attempted yet"\n'
    )
    stub = 'raise NotImplementedError("add_relu_function: not attempted yet")'
    _run(shell, f"# answer: add_relu_function\n# YOUR CODE HERE\n{stub}")
    report = _run(shell, 'check("add_relu_function")')
    assert report.verdict.verdict is Outcome.NOT_ATTEMPTED
    assert judge.asked == []
    assert capsys.readouterr().out.count("add_relu_function: not attempted") == 3


def test_a_half_written_python_answer_runs(shell: InteractiveShell) -> None:
    """A stub left inside a function does not keep the rest of the cell from running."""
    stub = 'raise NotImplementedError("add_relu_function: not attempted yet")'
    _run(shell, f"# answer: add_relu_function\nhalf = 1\ndef rest():\n    {stub}")
    assert shell.user_ns["half"] == 1


def test_starter_code_as_released_is_not_attempted(shell: InteractiveShell, judge: Straw) -> None:
    """Given code counts as an answer only once it is changed."""
    untouched = digest("launch();")
    _run(shell, "%%cuda side_stream_scale\nlaunch();\n")
    call = f'check("side_stream_scale", untouched="{untouched}")'
    assert _run(shell, call).verdict.verdict is Outcome.NOT_ATTEMPTED
    _run(shell, "%%cuda side_stream_scale\nlaunch(); // right\n")
    assert _run(shell, call).verdict.passed


def test_given_texts_are_judged(judge: Straw) -> None:
    """A lesson can have a text judged; its lines count from 1, and outside IPython the report is printed."""
    assert check("add_relu", cuda="// right").verdict.passed
    assert judge.asked == [("add_relu", {"cuda": "// right"}, 1)]


def test_a_judge_in_trouble_is_nobody_s_fault(shell: InteractiveShell, judge: Straw) -> None:
    """Whatever the judge raises becomes an environment verdict; the next check asks a new judge."""
    _run(shell, "%%cuda add_relu\n// right\n")
    judge.fault = OSError("no space left")
    report = _run(shell, 'check("add_relu")')
    assert report.verdict.verdict is Outcome.ENVIRONMENT
    assert "no space left" in report.verdict.message
    judge.fault = None
    assert _run(shell, 'check("add_relu")').verdict.passed


@pytest.mark.parametrize("source", ['check("add_rely")', 'hint("add_rely")', "%%cuda add_rely\n//"])
def test_unknown_exercises_are_refused_in_one_line(
    shell: InteractiveShell, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt id fails the cell, names the nearest one and shows no traceback."""
    result = shell.run_cell(source)
    assert not result.success
    said = "".join(capsys.readouterr())
    assert "Did you mean add_relu" in said
    assert "Traceback" not in said


def test_hints_come_one_by_one(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    """Each run reveals one more hint and repeats those before; the end is said."""
    from grader.exercises import get

    hints = get("add_relu").hints
    for number in range(1, len(hints) + 2):
        hint("add_relu")
        shown = capsys.readouterr().out
        assert [text in shown for text in hints] == [index < number for index in range(len(hints))]
        assert ("That was the last one" in shown) == (number >= len(hints))


def test_functions_are_bound_and_loaded_when_called(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Functions have their own names and are in `kernels`; the library is loaded at the first call only."""
    loaded: list[tuple[Path, str]] = []

    class Module:
        @staticmethod
        def add_relu(a: int, b: int) -> int:
            return max(a + b, 0)

    def load(library: Path, name: str) -> type[Module]:
        loaded.append((library, name))
        return Module

    monkeypatch.setattr("grader.toolchain.load", load)
    _run(shell, "%%cuda add_relu\n// right\n")
    assert loaded == []
    assert _run(shell, "add_relu(2, -5), kernels.add_relu(2, 3)") == (0, 5)
    assert _run(shell, "import kernels; kernels.add_relu(1, 1)") == 2
    assert loaded == [(Path("module.so"), "add_relu")]


def test_a_function_never_hides_the_course_s_own(shell: InteractiveShell) -> None:
    """A host function called `check` is in `kernels` only."""
    _run(shell, "%%cuda add_relu\n// right\n")
    assert shell.user_ns["check"] is checking.check


def test_compiler_errors_are_shown(
    shell: InteractiveShell, compiler: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A refused source shows its errors, binds nothing and raises nothing."""
    place = Place(9, 23, text="    b = b.contiguous()")
    compiler["answer"] = Built(None, (), (("expected ';'", place),), 0.4, False)
    _run(shell, "%%cuda add_relu\n// wrong\n")
    said = capsys.readouterr().out
    assert "line 9: expected ';'" in said
    assert "9 |     b = b.contiguous()" in said
    assert "kernels" not in shell.user_ns


def test_a_machine_that_cannot_build_is_said(
    shell: InteractiveShell, compiler: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing compiler is told in words, without a traceback."""
    compiler["answer"] = BuildUnavailableError("No C++ compiler. Install g++.")
    _run(shell, "%%cuda add_relu\n// right\n")
    assert "Install g++" in capsys.readouterr().out


def test_a_scratch_cell_needs_no_exercise(shell: InteractiveShell, judge: Straw) -> None:
    """A bare `%%cuda` cell is built and bound, and answers nothing."""
    _run(shell, "%%cuda\n// anything\n")
    assert "add_relu" in shell.user_ns
    assert SESSION.cuda == {}


def test_a_broken_toolchain_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler process that dies without an answer is the machine's fault, with what it last said."""
    monkeypatch.setattr(sys, "executable", "/bin/sh")
    with pytest.raises(BuildUnavailableError):
        building.build("add_relu", "", "sim", lambda line: None)


def test_a_passing_report_carries_no_picture() -> None:
    """Pictures are drawn of reports that have one, and a report that cannot be drawn loses nothing."""
    good = {"kind": "out_of_bounds", "index": 5, "numel": 5, "access": "read", "argument": "a"}
    drawn = CheckResult("memory", Outcome.FAILED, 0.0, 1.0, "m", details=(good,))
    assert "<img" in checking.picture(drawn)
    broken = CheckResult("memory", Outcome.FAILED, 0.0, 1.0, "m", details=({"kind": "out_of_bounds"},))
    assert checking.picture(broken) == ""
    assert checking.picture(CheckResult("close", Outcome.PASSED, 1.0, 1.0)) == ""
