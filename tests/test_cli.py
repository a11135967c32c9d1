"""The command line: one JSON object or a table, exit codes as designed, one clear line for bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader import cli
from grader.exercises import ORDER
from grader.judge import EnvironmentFault, Judge
from grader.verdict import CheckResult, Outcome, Place, Verdict

CORPUS = Path(__file__).parent / "submissions"
RIGHT = CORPUS / "add_relu/right__current_stream_contiguous.cu"
WRONG = CORPUS / "add_relu/wrong__close__relu_missing.cu"
STUB = '// YOUR CODE HERE\n#error "add_relu: not attempted yet"\n'


@pytest.fixture
def answers(tmp_path: Path) -> Callable[[str, str | bytes], str]:
    """Give a function that writes a file and returns its path."""

    def write(name: str, text: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    """Check on `sim` with `--json`; return the status and the only object on standard output."""
    status = cli.main(["check", *words, "--device", "sim", "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_right_answer_exits_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    """A right answer exits with 0, and its JSON has the designed keys and nothing else on standard output."""
    status, verdict = run_json(capsys, "add_relu", str(RIGHT))
    assert status == 0, verdict
    assert verdict["verdict"] == "passed"
    assert {"exercise", "device", "verdict", "score", "max_score", "checks", "seconds"} <= set(verdict)
    assert set(verdict["seconds"]) == {"build", "run", "total"}
    assert verdict["score"] == verdict["max_score"] == sum(check["score"] for check in verdict["checks"])
    for check in verdict["checks"]:
        assert set(check) == {"name", "verdict", "score", "max_score", "message", "where"}


def test_wrong_answer_exits_with_1_and_shows_why(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong answer exits with 1, and the table shows the failed check with its reason."""
    assert cli.main(["check", "add_relu", str(WRONG), "--device", "sim", "--seed", "7"]) == 1
    shown = capsys.readouterr().out
    assert "failed" in shown
    assert "close" in shown
    assert "expected" in shown


def test_other_seed_draws_other_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    """The seed decides the values that a wrong answer is shown."""
    messages = [
        run_json(capsys, "add_relu", str(WRONG), "--seed", seed)[1]["checks"][1]["message"] for seed in "122"
    ]
    assert messages[0] != messages[1] == messages[2]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (STUB, "still has the line that stops"),
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("// only a comment\n", "comments alone"),
    ],
)
def test_untouched_answer_is_not_attempted(
    capsys: pytest.CaptureFixture[str], answers: Callable[[str, str], str], text: str, why: str
) -> None:
    """A stub, an empty file and a file of comments are not attempted: exit 1, no check, one message."""
    status, verdict = run_json(capsys, "add_relu", answers("a.cu", text))
    assert status == 1
    assert verdict["verdict"] == "not_attempted"
    assert verdict["checks"] == []
    assert verdict["message"].startswith("a.cu has not been attempted yet: it ")
    assert why in verdict["message"]


def usage(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must exit with 2, and return its one line."""
    assert cli.main(list(words)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_unknown_exercise_suggests(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt exercise is answered with the near one."""
    assert "Did you mean add_relu?" in usage(capsys, "check", "add_rellu", str(RIGHT))


def test_a_compiler_error_has_its_line_once_and_a_caret(capsys: pytest.CaptureFixture[str]) -> None:
    """The table shows the source line with its number, and the caret below the column."""
    place = Place(7, 9, "a.cu", "        out[i] = one;")
    message = "The compiler says (a.cu, line 7): 'one' was not declared\n    out[i] = one;"
    check = CheckResult("build", Outcome.FAILED, 0.0, 0.0, message, place)
    cli.show(Verdict("add_relu", "sim", Outcome.FAILED, 0.0, 10.0, (check,)))
    shown = capsys.readouterr().out
    assert shown.count("out[i] = one;") == 1
    lines = shown.splitlines()
    [at] = [number for number, line in enumerate(lines) if "7 | out[i] = one;" in line]
    assert lines[at + 1].index("^") == lines[at].index("out[i]")


def test_a_line_that_is_folded_has_no_caret(capsys: pytest.CaptureFixture[str]) -> None:
    """Below the second half of a long line a caret would point at something else."""
    place = Place(7, 60, "a.cu", "        " + "out[i] = one + two; " * 5)
    check = CheckResult("build", Outcome.FAILED, 0.0, 0.0, "The compiler says: no", place)
    cli.show(Verdict("add_relu", "sim", Outcome.FAILED, 0.0, 10.0, (check,)))
    shown = capsys.readouterr().out
    assert "7 | out[i]" in shown
    assert "^" not in shown


def test_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there is named."""
    assert "nowhere.cu" in usage(capsys, "check", "add_relu", "nowhere.cu")


def test_other_suffix_is_refused(
    capsys: pytest.CaptureFixture[str], answers: Callable[[str, str], str]
) -> None:
    """A file that is neither .cu nor .py is refused by name."""
    assert ".cu or .py" in usage(capsys, "check", "add_relu", answers("a.txt", "x"))


def test_a_byte_order_mark_is_no_part_of_the_answer(
    capsys: pytest.CaptureFixture[str], answers: Callable[[str, bytes], str]
) -> None:
    """A file that an editor saved with a byte order mark and CRLF is judged like any other."""
    text = b"\xef\xbb\xbf" + RIGHT.read_bytes().replace(b"\n", b"\r\n")
    status, found = run_json(capsys, "add_relu", answers("a.cu", text))
    assert status == cli.PASSED, found


def test_an_answer_is_read_as_utf8_in_every_locale(tmp_path: Path) -> None:
    """C52, C53: the machine's own encoding does not matter."""
    path = tmp_path / "answer.cu"
    path.write_text("// Größe\n", encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; from grader import cli\n"
        "print(ascii(cli._read(Path(sys.argv[1]))))"
    )
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], env=os.environ | plain, capture_output=True, text=True
    )
    assert done.stdout == "'// Gr\\xf6\\xdfe\\n'\n", done.stderr


def test_bytes_that_are_not_utf8_are_refused(
    capsys: pytest.CaptureFixture[str], answers: Callable[[str, bytes], str]
) -> None:
    """A file that is not UTF-8 is refused with the position of the first bad byte."""
    text = usage(capsys, "check", "add_relu", answers("a.cu", b"// \xff\n"))
    assert "not UTF-8 (byte 3)" in text


def test_missing_python_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """An exercise with a Python cell asks for the .py file, and shows the command."""
    cuda = CORPUS / "add_relu_function/right__output_saved.cu"
    text = usage(capsys, "check", "add_relu_function", str(cuda), "--device", "sim")
    assert "needs a .py file too" in text


def test_missing_cuda_is_asked_for(
    capsys: pytest.CaptureFixture[str], answers: Callable[[str, str], str]
) -> None:
    """An answer without its .cu file asks for it."""
    assert "needs a .cu file" in usage(capsys, "check", "add_relu_function", answers("a.py", "x = 1\n"))


def test_python_alone_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    """`grader check traffic answer.py` needs no CUDA source."""
    answer = RIGHT.parents[1] / "traffic" / "right__closed_formula.py"
    status, verdict = run_json(capsys, "traffic", str(answer))
    assert status == 0
    assert verdict["score"] == verdict["max_score"] == 3


def test_cuda_for_python_alone_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A .cu file is no answer to an exercise in Python."""
    assert cli.main(["check", "traffic", str(RIGHT)]) == 2
    assert "takes a .py file alone" in capsys.readouterr().err


def test_two_files_of_a_kind_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Two .cu files are one too many."""
    assert "given already" in usage(capsys, "check", "add_relu", str(RIGHT), str(WRONG))


def test_environment_exits_with_3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that cannot judge exits with 3 and invents no mark."""

    def fail(quiet: bool) -> None:
        raise EnvironmentFault("No compiler was found. Install g++.")

    monkeypatch.setattr(cli, "ensure_runtime", fail)
    status, verdict = run_json(capsys, "add_relu", str(RIGHT))
    assert status == 3
    assert verdict["verdict"] == "environment"
    assert "Install g++" in verdict["message"]


def test_a_fault_of_the_judge_is_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in the judge's own code becomes an environment verdict, not a traceback or a zero."""
    from grader.judge import Answer, session

    monkeypatch.setattr(session, "unattempted", lambda answer, needs_python: 1 / 0)
    with Judge() as judge:
        verdict = judge.judge("add_relu", Answer("x"), "sim")
    assert verdict.verdict is Outcome.ENVIRONMENT
    assert "ZeroDivisionError" in verdict.message


def test_setup_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    """`grader setup` says where the runtime is and how large."""
    assert cli.main(["setup"]) == 0
    assert "MB" in capsys.readouterr().out


def test_exercises_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`grader exercises` names every exercise."""
    assert cli.main(["exercises"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ORDER)


def test_verdict_survives_json() -> None:
    """A verdict read back from its JSON is the verdict."""
    check = CheckResult("close", Outcome.FAILED, 0.0, 4.0, "why", Place(3, 1, "cell", "x;"))
    verdict = Verdict("add_relu", "sim", Outcome.FAILED, 6.0, 10.0, (check,), message="m")
    assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


@pytest.mark.skipif(
    Path("/dev/nvidiactl").exists(), reason="this machine has a GPU, so asking for one is no fault"
)
def test_missing_gpu_is_the_machines_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """Asking for CUDA where there is none exits with 3 and says what to do instead."""
    assert cli.main(["check", "add_relu", str(RIGHT), "--device", "cuda"]) == 3
    assert "--device sim" in capsys.readouterr().out


def test_what_only_a_gpu_has_exits_with_3(
    capsys: pytest.CaptureFixture[str], answers: Callable[[str, str], str]
) -> None:
    """A source that uses what the simulator lacks needs a GPU: exit 3, and the construct is named."""
    status, verdict = run_json(capsys, "add_relu", answers("a.cu", "#include <cub/cub.cuh>\n"))
    assert status == 3
    assert verdict["verdict"] == "needs_gpu"
    assert "CUB (line 1)" in verdict["message"]
