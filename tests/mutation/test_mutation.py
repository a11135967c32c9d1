"""Mutants: edits stand in code alone, each text is made once, and an unexplained survivor is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.agreement import Result, Results, read_submission
from grader.mutation import Mutant, mutants_of
from grader.mutation.command import SURVIVORS, Table
from grader.mutation.operators import CUDA, PYTHON, cuda_code, python_code
from grader.mutation.survivors import Listed, SurvivorsError, read_listed

SUBMISSIONS = Path(__file__).parents[1] / "submissions"
ROOT = Path(__file__).parents[2]


def mutants(name: str) -> list[Mutant]:
    """Return the mutants of a right submission."""
    return list(mutants_of(read_submission(SUBMISSIONS / name)))


def by(operators: tuple[object, ...], name: str) -> object:
    """Return the operator of that name."""
    return next(one for one in operators if one.name == name)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("bounds: one further", "if (i < n) {} // i < n", ["if (i <= n) {} // i < n"]),
        ("bounds: none", "if (i < n && j < m) f();", ["if (true) f();"]),
        (
            "grid: rounded down",
            "k<<<(x.numel() + 255) / 256, 256>>>(p);",
            ["k<<<x.numel() / 256, 256>>>(p);"],
        ),
        ("launch: default stream", "k<<<g, 256, 0, stream>>>(p);", ["k<<<g, 256, 0>>>(p);"]),
        ("barriers: one forgotten", "a; __syncthreads(); b;", ["a; ; b;"]),
        ("atomics: plain addition", "atomicAdd(&out[i], v);", ["out[i] += v;"]),
        ("guards: a check removed", 'TORCH_CHECK(f(g(x)) < 1, "a (b");', [";"]),
        (
            "statements: one removed",
            "void f() {\n  int a = 1;\n  a = 2;\n}",
            ["void f() {\n  int a = 1;\n  ;\n}"],
        ),
    ],
)
def test_operators_of_cuda(name: str, source: str, expected: list[str]) -> None:
    """Each operator writes the mistake that it is named for, and leaves comments and strings alone."""
    operator = by(CUDA, name)
    assert [text for _, text in operator.edits(cuda_code(source), source)] == expected  # type: ignore[attr-defined]


def test_operators_of_python() -> None:
    """A docstring that looks like code is not edited; the swapped gradients are."""
    source = 'def backward(ctx, g):\n    """x * y"""\n    return g * ctx.m, g\n'
    swapped = by(PYTHON, "gradients: swapped")
    product = by(PYTHON, "signs: times as plus")
    code = python_code(source)
    assert [t for _, t in swapped.edits(code, source)] == [source.replace("g * ctx.m, g", "g, g * ctx.m")]  # type: ignore[attr-defined]
    assert [t for _, t in product.edits(code, source)] == [source.replace("g * ctx.m", "g + ctx.m")]  # type: ignore[attr-defined]


def test_every_operator_finds_work_in_the_corpus() -> None:
    """An operator that matches nothing anywhere is dead."""
    right = sorted(SUBMISSIONS.glob("*/right__*.cu"))
    found = {mutant.operator for path in right for mutant in mutants_of(read_submission(path))}
    waiting = {"atomics: plain addition"}  # the exercises of lesson 07 are the first that need atomics
    assert found | waiting == {operator.name for operator in (*CUDA, *PYTHON)}


def test_mutants_differ_from_the_original_and_from_each_other() -> None:
    """No mutant is the submission itself, and none is judged twice."""
    found = mutants("add_relu_function/right__backward_kernel.cu")
    original = read_submission(SUBMISSIONS / "add_relu_function/right__backward_kernel.cu")
    assert len({mutant.digest for mutant in found}) == len(found) > 20
    assert original.digest not in {mutant.digest for mutant in found}
    assert {mutant.file for mutant in found} == {".cu", ".py"}


def outcome(mutant: Mutant, verdict: str) -> Result:
    """Return a stored result."""
    said = {"verdict": verdict, "checks": [], "message": ""}
    return Result(mutant.name, mutant.digest, "sim", {}, said)


def test_a_survivor_must_be_explained() -> None:
    """A mutant that passes is reported, unless the list says why it may."""
    first, second = mutants("add_relu/right__dispatch_macro.cu")[:2]
    results = Results()
    results.add(outcome(first, "passed"))
    results.add(outcome(second, "failed"))
    table = Table([first, second], results, ())
    assert table.survivors == [first]
    assert not table.is_complete
    listed = Listed("add_relu/*", first.operator, first.before, "*", "the compiler sees the same")
    table = Table([first, second], results, (listed,))
    assert table.is_complete
    assert "the compiler sees the same" in table.to_markdown()


def test_a_mutant_that_nobody_judged_is_not_killed() -> None:
    """Neither a missing result nor a machine's fault counts."""
    first, second = mutants("add_relu/right__dispatch_macro.cu")[:2]
    results = Results()
    results.add(outcome(first, "environment"))
    table = Table([first, second], results, ())
    assert (table.unjudged, len(table.errors), table.is_complete) == (1, 1, False)


def test_the_list_needs_a_reason_on_each_line(tmp_path: Path) -> None:
    """A line without a reason names file and line."""
    path = tmp_path / "survivors.tsv"
    path.write_text("origin\toperator\tbefore\tafter\treason\nadd_relu/*\tx\ty\tz\t\n")
    with pytest.raises(SurvivorsError, match=r"survivors.tsv:2"):
        read_listed(path)


def test_the_committed_list_can_be_read() -> None:
    """Every line of it has a reason."""
    assert all(one.reason for one in read_listed(ROOT / SURVIVORS))
