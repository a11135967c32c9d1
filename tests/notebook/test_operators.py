"""Cells that register something for an operator can be run again, and later cells see it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch

from grader.notebook import operators
from grader.toolchain import registration

NAME = "notebook_operators::twice"


@pytest.fixture
def operator() -> Iterator[None]:
    """Define an operator with a CPU kernel for one test."""
    library = torch.library.Library("notebook_operators", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x.clone().mul_(2), "CPU")
    yield
    registration.forget_python(["notebook_operators"])
    library._destroy()


def run(text: str, cell: str | None = None) -> None:
    """Run a cell as a shell does, between the two events."""
    info = SimpleNamespace(raw_cell=text, cell_id=cell)
    operators.begin(info)
    exec(text, {"torch": torch, "NAME": NAME})
    operators.end(SimpleNamespace(info=info))


def slope() -> list[float]:
    """Return the gradient that the operator gives in a compiled program."""
    x = torch.ones(2, requires_grad=True)
    function = torch.compile(
        lambda x: torch.ops.notebook_operators.twice(x), fullgraph=True, backend="aot_eager"
    )
    function(x).sum().backward()
    return list(x.grad.tolist())


def formula(factor: float) -> str:
    """Return a cell that registers a gradient."""
    return f"torch.library.register_autograd(NAME, lambda ctx, grad: grad * {factor})"


@pytest.mark.parametrize("cells", [(None, None), ("a", "a")], ids=["by text", "by id"])
def test_a_cell_registers_a_gradient_again(operator: None, cells: tuple[str | None, str | None]) -> None:
    """A second run of a cell takes the first one's place: by its id an edited one too."""
    run("torch.library.register_fake(NAME, torch.empty_like)", "fake")
    run(formula(2.0), cells[0])
    assert slope() == [2.0, 2.0]
    again = 3.0 if cells[1] else 2.0
    run(formula(again), cells[1])
    assert slope() == [again, again]


def test_a_gradient_that_comes_after_a_trace_is_found(operator: None) -> None:
    """An operator traced before its gradient was registered is looked up afresh."""
    run("torch.library.register_fake(NAME, torch.empty_like)")
    torch.compile(lambda x: torch.ops.notebook_operators.twice(x) + 1, fullgraph=True, backend="aot_eager")(
        torch.ones(2)
    )
    run(formula(5.0))
    assert slope() == [5.0, 5.0]


def test_traces_between_several_registrations_hide_none(operator: None) -> None:
    """PyTorch keeps the operator that was traced first: its lookups are forgotten, each time."""
    program = torch.compile(
        lambda x: torch.ops.notebook_operators.twice(x) + 1, fullgraph=True, backend="aot_eager"
    )
    for number, fake in enumerate(("torch.empty_like", "lambda x: torch.empty(x.shape)")):
        run(f"torch.library.register_fake(NAME, {fake}, allow_override=True)", f"fake {number}")
        program(torch.ones(2 + number))
        torch._dynamo.reset()
    run(formula(5.0))
    assert slope() == [5.0, 5.0]


def test_an_answer_is_known_by_what_it_answers() -> None:
    """Whatever its text and id, the cell of an answer is one cell."""
    info = SimpleNamespace(raw_cell="# answer: register_op\nx = 1", cell_id="q")
    assert operators._key(info) == "register_op-py"


def test_a_gradient_is_found_after_several_cells_that_register(operator: None) -> None:
    """PyTorch keeps the first object made for an operator: each cell has to refresh that one, and no copy."""
    for _ in range(2):
        run("torch.library.register_fake(NAME, torch.empty_like)")
        torch.compile(
            lambda x: torch.ops.notebook_operators.twice(x) + 1, fullgraph=True, backend="aot_eager"
        )(torch.ones(2))
    run(formula(7.0))
    assert slope() == [7.0, 7.0]
