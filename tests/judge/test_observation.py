"""Tensors in a worker's reply: each has a buffer to itself, so that a small reply cannot fill the memory."""

from __future__ import annotations

import pytest
import torch

from grader.judge.observation import Buffers
from grader.judge.protocol import Packer, ProtocolError


def test_a_tensor_is_its_buffer() -> None:
    """Values arrive, once."""
    packer = Packer()
    described = packer.add(torch.arange(6.0).view(2, 3))
    buffers = Buffers(packer.buffers)
    assert buffers.tensor(described).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    with pytest.raises(ProtocolError, match="to itself"):
        buffers.tensor(described)


@pytest.mark.parametrize(
    "changed",
    [
        {"shape": [1000, 6], "stride": [0, 1]},
        {"shape": [2], "stride": [1]},
        {"shape": [3], "stride": [2]},
        {"shape": [5], "stride": [1], "offset": 1},
    ],
    ids=["stretched by a stride of 0", "a part", "every second", "without its beginning"],
)
def test_another_view_of_a_buffer_is_refused(changed: dict[str, object]) -> None:
    """Only all elements in order are a result."""
    packer = Packer()
    described = packer.add(torch.arange(6.0)) | changed
    with pytest.raises(ProtocolError):
        Buffers(packer.buffers).tensor(described)
