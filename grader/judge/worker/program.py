"""The worker's loop: read a request, do it, reply, until the judge hangs up."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection

import torch

from grader.judge.protocol import Frame, decode_step, receive, send
from grader.judge.worker import operator_tests, packaging, values
from grader.judge.worker.answer import Answer
from grader.judge.worker.calls import Execution
from grader.judge.worker.capture import Capture
from grader.judge.worker.compiled import Compiled
from grader.judge.worker.devices import Device


def serve(connection: Connection, device: Device, seal: Callable[[], None] | None = None) -> None:
    """Answer requests until the peer has gone.

    `seal` gives up what the answer must not have; it is called once, just before anything of it is loaded.
    """
    torch.set_num_threads(1)
    answer = Answer(torch.device(device.kind), seal)
    while True:
        try:
            frame = receive(connection)
        except EOFError:
            return
        send(connection, _reply(frame, answer, device))


def _reply(frame: Frame, answer: Answer, device: Device) -> Frame:
    try:
        if frame.header["op"] == "wheel":
            return packaging.reply(frame.header)
        if frame.header["op"] in ("load", "define", "install"):
            loads = {"load": answer.load, "define": answer.define, "install": answer.install}
            load = loads[frame.header["op"]]
            loaded = Frame(load(frame.header))
            gc.freeze()  # So that collecting what a step leaves does not walk through all that was imported.
            return loaded
        if frame.header["op"] == "value":
            return values.reply(answer, frame.header)
        step = decode_step(frame)
        if frame.header["op"] == "opcheck":
            return operator_tests.reply(step, device, answer.function(step.target))
        if step.capture:
            return Capture(step, device, answer.function(step.target)).run()
        if step.compiled:
            return Compiled(step, device, answer.function(step.target)).run()
        return Execution(step, device, answer.function(step.target)).run()
    except Exception:
        return Frame({"broken": traceback.format_exc(limit=8)[-4000:]})
