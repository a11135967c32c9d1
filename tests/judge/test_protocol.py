"""Frames: what arrives is what was sent, and a malformed frame is an error before a tensor is made of it."""

from __future__ import annotations

import json
import socket
import struct
from multiprocessing.connection import Connection
from typing import Any

import pytest
import torch

from grader.exercise import LAYOUTS
from grader.judge.protocol import (
    Frame,
    Packer,
    Placed,
    ProtocolError,
    Step,
    decode_step,
    encode_step,
    receive,
    send,
    unpack,
)


@pytest.fixture
def ends() -> Any:
    """Give two connected ends."""
    pair = socket.socketpair()
    connections = [Connection(end.detach()) for end in pair]
    yield connections
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
def test_layout_survives(layout: str, dtype: torch.dtype) -> None:
    """A tensor arrives with its values, strides, offset, and the padding around it."""
    shape = (2, 3, 4, 5) if layout == "channels_last" else (6, 5)
    tensor = LAYOUTS[layout](torch.arange(1, 1 + int(torch.tensor(shape).prod())).view(shape).to(dtype))
    packer = Packer()
    arrived = unpack(packer.add(tensor), packer.buffers)
    assert torch.equal(arrived, tensor)
    assert arrived.stride() == tensor.stride()
    assert arrived.storage_offset() == tensor.storage_offset()
    assert arrived.untyped_storage().nbytes() == tensor.untyped_storage().nbytes()


def test_step_round_trip(ends: list[Connection]) -> None:
    """A step arrives with its calls, its options and a placed argument."""
    step = Step(
        "kernels.f", ((torch.ones(3), 1.5, Placed(torch.zeros(2), "cpu"), [torch.ones(1)]),), device=1,
        streams=("side",), produce=True, busy=("side",), differentiate=(True, False), gradient=torch.ones(3),
    )  # fmt: skip
    send(ends[0], encode_step(step))
    arrived = decode_step(receive(ends[1]))
    tensor, number, placed, many = arrived.calls[0]
    assert torch.equal(tensor, torch.ones(3))
    assert number == 1.5
    assert placed.on == "cpu"
    assert len(many) == 1
    assert (arrived.device, arrived.streams, arrived.produce) == (1, ("side",), True)
    assert arrived.differentiate == (True, False)
    assert arrived.gradient is not None


def test_empty_tensor_arrives() -> None:
    """A tensor without elements has an empty buffer and keeps its shape."""
    packer = Packer()
    assert unpack(packer.add(torch.empty(0, 3)), packer.buffers).shape == (0, 3)


GOOD = {"dtype": "float32", "shape": [2], "stride": [1], "offset": 0, "buffer": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "object"},
        {"dtype": ["float32"]},
        {"shape": [3]},
        {"shape": [-1]},
        {"shape": [2.0]},
        {"shape": [True]},
        {"shape": "2"},
        {"shape": [2, 2]},
        {"shape": [1 << 60]},
        {"stride": [1 << 40]},
        {"offset": 1},
        {"offset": -1},
        {"buffer": 1},
        {"buffer": None},
        {"shape": [1 << 20, 1 << 20], "stride": [0, 0]},
        {"shape": [1] * 40, "stride": [1] * 40},
    ],
)
def test_lying_description_is_refused(change: dict[str, Any]) -> None:
    """A description that does not fit its buffer makes no tensor."""
    with pytest.raises(ProtocolError):
        unpack(GOOD | change, [bytes(8)])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0\0",
        struct.pack("!I", 1000) + b"{}",
        struct.pack("!I", 4) + b"[1]x",
        struct.pack("!I", 2) + b"[]",
        struct.pack("!I", 2) + b"{}" + b"more",
        struct.pack("!I", 14) + json.dumps({"buffers": 3}).encode(),
        struct.pack("!I", 17) + json.dumps({"buffers": [-1]}).encode() + b"",
        struct.pack("!I", 5) + b"\xff\xff\xff\xff\xff",
    ],
)
def test_malformed_frame_is_refused(ends: list[Connection], data: bytes) -> None:
    """Bytes that are no frame are a `ProtocolError`, not a crash."""
    ends[0].send_bytes(data)
    with pytest.raises(ProtocolError):
        receive(ends[1])


def test_huge_frame_is_refused_unread(ends: list[Connection]) -> None:
    """A length above the limit is refused before anything is read or allocated."""
    import os

    os.write(ends[0].fileno(), struct.pack("!iQ", -1, 1 << 40))
    with pytest.raises(ProtocolError):
        receive(ends[1])


def test_deep_json_is_refused(ends: list[Connection]) -> None:
    """A header nested beyond the parser's depth is a `ProtocolError`."""
    header = b"[" * 50_000 + b"]" * 50_000
    ends[0].send_bytes(struct.pack("!I", len(header)) + header)
    with pytest.raises(ProtocolError):
        receive(ends[1])


def test_gone_peer_is_end_of_file(ends: list[Connection]) -> None:
    """A closed peer raises EOFError, which callers tell from a malformed message."""
    ends[0].close()
    with pytest.raises(EOFError):
        receive(ends[1])


def test_frame_keeps_buffers_apart(ends: list[Connection]) -> None:
    """Several buffers arrive in order, empty ones included."""
    send(ends[0], Frame({"op": "x"}, (b"ab", b"", b"c")))
    frame = receive(ends[1])
    assert [bytes(buffer) for buffer in frame.buffers] == [b"ab", b"", b"c"]
