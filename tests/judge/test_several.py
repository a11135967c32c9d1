"""Several results of one call, compared as one vector."""

from __future__ import annotations

import torch

from grader.exercise import Result
from grader.exercises import get
from grader.judge.observation import CallSeen, Observation, OutputSeen
from grader.judge.several import end_to_end, joined, place

RESULTS = (Result("q", torch.int8), Result("scale", torch.float32))
Q, SCALE = torch.tensor([[1, -2, 3], [4, 5, 127]], dtype=torch.int8), torch.tensor([0.5, 0.25])


def seen(*tensors: torch.Tensor, devices: tuple[str, ...] = ("sim:0", "sim:0")) -> Observation:
    """Return what is seen of one call with these results."""
    parts = tuple(OutputSeen(one, place, ("input 0",)) for one, place in zip(tensors, devices, strict=False))
    return Observation(None, (CallSeen("tuple", parts, tuple(tensors), ()),))


def test_results_of_the_declared_types_become_one_vector() -> None:
    """The elements of q come first, then the scales; the parts stay known, and so do early values."""
    (call,) = joined(get("quantize_rowwise"), seen(Q, SCALE)).calls
    (output,) = call.outputs
    expected = [1.0, -2.0, 3.0, 4.0, 5.0, 127.0, 0.5, 0.25]
    assert output.values is not None
    assert output.values.dtype is torch.float32
    assert output.values.tolist() == expected
    assert call.early[0] is not None
    assert call.early[0].tolist() == expected
    assert output.device == "sim:0"
    assert output.aliases == ("input 0", "input 0")
    assert len(call.parts) == 2


def test_results_of_other_types_or_number_stay_apart() -> None:
    """Nothing is converted in silence: `close` sees the parts as they are, other checks see no result."""
    for wrong in ((Q, SCALE.half()), (SCALE, Q), (Q,), ()):
        (call,) = joined(get("quantize_rowwise"), seen(*wrong)).calls
        assert call.outputs == call.early == ()
        assert len(call.parts) == len(wrong)


def test_two_devices_are_none_that_is_expected() -> None:
    """Results on different devices carry both names."""
    (call,) = joined(get("quantize_rowwise"), seen(Q, SCALE, devices=("sim:1", "sim:0"))).calls
    assert call.outputs[0].device == "sim:1 and sim:0"


def test_one_result_is_left_alone() -> None:
    """An exercise with one tensor sees its observation unchanged."""
    one = seen(SCALE)
    assert joined(get("segment_sum"), one) is one


def test_elements_are_named_by_result_and_index() -> None:
    """A place in the vector is named as the learner knows it."""
    parts = (Q, SCALE)
    vector = end_to_end(parts, torch.float64)
    assert place(RESULTS, parts, 0) == "q[0, 0]"
    assert place(RESULTS, parts, 5) == "q[1, 2]"
    assert place(RESULTS, parts, len(vector) - 1) == "scale[1]"
