"""Whose fault it is when the process that starts the workers ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.judge import Answer, Judge, bench
from grader.verdict import Outcome

_RIGHT = (Path(__file__).parents[1] / "submissions/add_relu/right__current_stream_contiguous.cu").read_text()
_KILLS = _RIGHT.replace("a = a.contiguous();", "kill(getppid(), SIGKILL); a = a.contiguous();", 1)


def test_an_answer_that_kills_the_parent_of_the_workers_gets_no_points(judge: Judge) -> None:
    """Ending the nursery avoids no mark, and the next answer is judged as ever."""
    verdict = judge.judge("add_relu", Answer("#include <csignal>\n#include <unistd.h>\n" + _KILLS), "sim")
    assert (verdict.verdict, verdict.score, verdict.max_score) == (Outcome.FAILED, 0.0, 11.0)
    assert "leave other processes alone" in verdict.message
    assert judge.judge("add_relu", Answer(_RIGHT), "sim").passed


def test_a_nursery_that_ends_once_costs_nothing(judge: Judge) -> None:
    """The machine may end a process: the answer is judged again in a new nursery."""
    assert judge.judge("add_relu", Answer(_RIGHT), "sim").passed
    judge._nurseries["sim"]._process.kill()
    assert judge.judge("add_relu", Answer(_RIGHT), "sim").passed


_CORPUS = Path(__file__).parents[1] / "submissions/add_relu_function"
_KERNELS = (_CORPUS / "right__backward_kernel.cu").read_text()


@pytest.mark.parametrize(
    ("python", "said"),
    [
        (
            "while True: pass",
            "The Python cell could not be loaded: it did not finish within 5 s. Look at what",
        ),
        ("x = 1\nraise KeyError('gone')", "could not be loaded (Python line 2): KeyError: 'gone'."),
        ("import os; os._exit(3)", "it ended the process itself (exit status 3)."),
        ("def add_relu_function(:", "could not be loaded (Python line 1): SyntaxError: "),
    ],
)
def test_what_the_python_cell_does_when_it_runs_is_told_of_it(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, python: str, said: str
) -> None:
    """A Python cell that does not end, raises or exits fails `build` under its own name, and soon."""
    monkeypatch.setitem(bench.LOAD_SECONDS, "answer", 5.0)
    verdict = judge.judge("add_relu_function", Answer(_KERNELS, python), "sim")
    first = verdict.checks[0]
    assert (first.name, first.verdict, verdict.score) == ("build", Outcome.FAILED, 0.0)
    assert first.message.startswith("The Python cell ")
    assert said in first.message


def test_a_compiled_module_that_cannot_be_loaded_is_told_as_such(judge: Judge) -> None:
    """What the initialiser of a global variable does is not the Python cell's fault."""
    source = f"#include <stdexcept>\nstatic int early = [] {{ std::_Exit(4); return 0; }}();\n{_RIGHT}"
    first = judge.judge("add_relu", Answer(source), "sim").checks[0]
    assert first.verdict is Outcome.FAILED
    assert first.message.startswith("The compiled module could not be loaded: it ended the process itself")
