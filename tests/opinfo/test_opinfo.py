"""PyTorch's own operator database on `sim`: a seeded part of `make opinfo`, and the comparison."""

from __future__ import annotations

import os

import pytest
import torch

from tests.opinfo import comparison, run, table
from tests.opinfo.database import Mover, Sample, operators
from tests.opinfo.table import Reason, Result

SEED = int(os.environ.get("GRADER_OPINFO_SEED", "0"))
ADD = Sample(torch.add, (torch.ones(3, requires_grad=True), torch.ones(3)), {}, lambda result: result)


@pytest.fixture(scope="session", autouse=True)
def _loaded() -> None:
    from grader import simulator

    simulator.load_runtime()


def test_a_part_of_the_database_agrees_with_the_cpu() -> None:
    """A hundred operators drawn by a seed give on sim what they give on the CPU, gradients included."""
    part = run.gather(part=100, seed=SEED, most=10)
    assert len({result.operator for result in part.results}) == 100
    assert [said for said in table.complaints(part.results, table.reasons()) if "no more" not in said] == []


def test_every_reason_is_of_an_operator_in_the_database() -> None:
    """The list of known failures names operators that exist."""
    assert table.reasons().keys() <= {run.name_of(op) for op in operators()}


def test_committed_table_lists_every_known_failure() -> None:
    """docs/reports/opinfo.md has a row for each reason."""
    text = (run.ROOT / "docs/reports/opinfo.md").read_text()
    for name, reason in table.reasons().items():
        assert f"| `{name}` |" in text
        assert reason.words in text


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda x, y: x + y + (x.device.type == "sim"), "not close"),
        (lambda x, y: (x + y)[: 2 if x.device.type == "sim" else 3], "float32 of (2,) instead of"),
        (lambda x, y: (x + y).to(torch.float64 if x.device.type == "sim" else None), "float64 of (3,)"),
        (lambda x, y: [x, y] if x.device.type == "sim" else [x], "4 results instead of 3"),
        (lambda x, y: int(x.device.type == "sim"), "1 instead of 0"),
        (lambda x, y: y.fill_(2 if x.device.type == "sim" else 3), "not close"),
    ],
)
def test_a_wrong_result_fails(wrong, says: str) -> None:
    """Other values, sizes, types, numbers of results and changed arguments each fail the comparison."""
    sample = Sample(wrong, (torch.ones(3), torch.ones(3)), {}, lambda result: result)
    outcome = comparison.forward("wrong", sample)
    assert outcome.result == "fail"
    assert says in outcome.reason


def test_a_wrong_gradient_fails() -> None:
    """A backward that differs on the device fails, and a right one passes."""

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * (3 if gradient.device.type == "sim" else 2)

    x = torch.ones(3, requires_grad=True)
    wrong = Sample(Twice.apply, (x,), {}, lambda result: result)
    assert comparison.forward("twice", wrong).result == "pass"
    assert comparison.backward("twice", wrong).result == "fail"
    assert comparison.backward("add", ADD).result == "pass"


def test_random_numbers_are_told_from_wrong_ones() -> None:
    """Values may differ where the CPU's own depend on the seed, also where the operator seeds by hand."""

    def seeded(x: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(42)
        return torch.bernoulli(x)

    for call in (torch.bernoulli, seeded, lambda x: x.uniform_()):
        sample = Sample(call, (torch.full((64,), 0.5),), {}, lambda result: result)
        assert comparison.forward("draw", sample).result == "random"


def test_samples_that_the_cpu_refuses_are_left_out() -> None:
    """What raises on the CPU is no sample."""
    sample = Sample(torch.add, (torch.ones(3), torch.ones(4)), {}, lambda result: result)
    assert comparison.forward("add", sample).result == "skip"


def test_views_of_one_memory_stay_views() -> None:
    """Arguments move with strides, offsets and sharing."""
    base = torch.arange(12.0)
    move = Mover("sim")
    a, b = move.all([base.view(3, 4).t()[1:], base[2:]])
    assert (a.stride(), a.storage_offset(), b.storage_offset()) == ((1, 4), 1, 2)
    b.fill_(7)
    assert a.cpu().tolist() == [[1, 7, 7], [7, 7, 7], [7, 7, 7]]


def test_a_crash_costs_one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies fails the sample it was at; the rest is compared in a new one."""
    replies = [
        [{"begin": "forward float32"}, ["forward float32", "pass", ""], {"begin": "forward int64"}],
        [["backward float32", "pass", ""], None],
    ]
    started: list[int] = []

    def answer(self: run.Worker, index: int, first: int):
        started.append(first)
        return iter(replies[len(started) - 1])

    monkeypatch.setattr(run.Worker, "_replies", answer)
    monkeypatch.setattr(run.Worker, "end", lambda self: "the process ended with -11")
    results = list(run.Worker(None).results(0, "op"))
    assert started == [0, 2]
    assert [(result.what, result.result) for result in results] == [
        ("forward float32", "pass"),
        ("forward int64", "fail"),
        ("backward float32", "pass"),
    ]


def test_complaints() -> None:
    """An unlisted failure, a listed operator that passes and a low share are each complained about."""
    good, bad = Result("a", "forward float32", "pass", ""), Result("b", "forward float32", "fail", "why")
    known = {"a": Reason("sparse", "no"), "b": Reason("sparse", "no")}
    assert table.complaints([good] * 99 + [bad], {"b": known["b"]}) == []
    (said,) = table.complaints([good] * 99 + [bad], {})
    assert "b (forward float32) fails and is not listed: why" in said
    assert table.complaints([good], known) == ["a is listed and fails no more"]
    (said,) = table.complaints([good, bad], {"b": known["b"]})
    assert "50.00%" in said
