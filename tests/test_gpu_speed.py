"""What the table of the model answers' speed is made of; the measurements themselves need a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import gpu_operations, gpu_speed, gpu_timing


@pytest.mark.parametrize("operation", gpu_operations.OPERATIONS, ids=lambda one: one.name)
def test_every_operation_has_a_plain_and_a_fast_form(operation: gpu_operations.Operation) -> None:
    """Both forms are whole answers: CUDA that defines the function, and Python where there is some."""
    for cuda, python in operation.sources().values():
        assert f" {operation.function}(" in cuda
        assert bool(python) is operation.exercise.endswith("_function")
        assert not python or f"def {operation.function}(" in python


@pytest.mark.parametrize("operation", gpu_operations.OPERATIONS, ids=lambda one: one.name)
def test_bytes_are_those_of_one_pass(
    operation: gpu_operations.Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least bytes lie between once and four times those of the first argument."""
    monkeypatch.setattr(gpu_operations, "DEVICE", "cpu")
    size = 1 << 20
    moved = operation.moved(operation.arguments(size))
    assert size <= moved <= 4 * size


def test_one_that_fails_costs_its_own_rows(tmp_path: Path) -> None:
    """A process that ends before it is ready is a line below the table, and no exception."""
    child = gpu_speed.Child("no such operation", (1,), tmp_path)
    assert not child.ready(deadline=float("inf"))
    child.end()
    row = child.failure("it was not prepared")
    fine = {
        "operation": "add_relu", "size": 1 << 28, "moved": 3 << 28, "copy": 2e-4, "problems": {},
        "seconds": {"plain": 2.5e-4, "fast": 2e-4, "eager": 5e-4, "compiled": 2.5e-4},
    }  # fmt: skip
    text = gpu_speed.report([row, fine], "head")
    assert (
        "| add_relu | 2^28 B | 805 MB | 4.03 TB/s | 250 µs | 80% | 200 µs | 100% | 500 µs | 250 µs | 0.80 |"
        in text
    )
    assert "- no such operation: it was not prepared: StopIteration" in text


def test_results_are_compared_before_they_are_timed() -> None:
    """A form whose result is another than eager's is not in the table but below it."""
    import torch

    gpu_timing._require_equal([torch.ones(3)], [torch.ones(3)])
    for other in (torch.zeros(3), torch.ones(2), torch.ones(3, dtype=torch.float64)):
        with pytest.raises(ValueError, match="differs from eager"):
            gpu_timing._require_equal([other], [torch.ones(3)])
