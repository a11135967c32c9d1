"""Compares samples in a process that may crash or hang: one request a line in, one outcome a line out."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any, TextIO

import torch

from tests.opinfo import comparison
from tests.opinfo.database import DTYPES, Sample, name_of, operators, samples


def cases(op: Any, most: int | None = None) -> Iterator[tuple[str, Sample]]:
    """Yield an operator's samples with what is compared: `forward float32`, `backward float32`, ...

    `most` bounds the samples of each kind; they are drawn at random then, the same in every run.
    """
    supported = op.supported_dtypes("cpu")
    for dtype in DTYPES:
        if dtype in supported:
            what = f"forward {str(dtype).removeprefix('torch.')}"
            yield from _drawn(what, samples(op, dtype, gradients=False), most)
    if op.supports_autograd and torch.float32 in op.supported_backward_dtypes("cpu"):
        yield from _drawn("backward float32", samples(op, torch.float32, gradients=True), most)


def _drawn(what: str, every: list[Sample], most: int | None) -> Iterator[tuple[str, Sample]]:
    if most is not None and len(every) > most:
        every = random.Random(0).sample(every, most)
    for sample in every:
        yield what, sample


def compare(name: str, what: str, sample: Sample) -> comparison.Outcome:
    """Compare one sample."""
    run = comparison.backward if what.startswith("backward") else comparison.forward
    return run(name, sample)


def serve(requests: TextIO, replies: TextIO) -> None:
    """Answer requests `[operator, first sample, most samples]`: a line for each sample, and `null`."""
    database = operators()
    for line in requests:
        index, first, most = json.loads(line)
        op = database[index]
        for what, sample in islice(cases(op, most), first, None):
            print(json.dumps({"begin": what}), file=replies, flush=True)
            outcome = compare(name_of(op), what, sample)
            print(json.dumps([what, outcome.result, outcome.reason]), file=replies, flush=True)
            if _context_is_lost():
                sys.exit(3)
        print("null", file=replies, flush=True)


def _context_is_lost() -> bool:
    from grader import simulator

    simulator.last_error()
    return bool(simulator.last_error()["error"])


def main() -> None:
    """Serve standard input.  Standard output is kept for replies: operators print."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from grader import simulator

    torch.set_num_threads(1)
    simulator.load_runtime()
    serve(sys.stdin, replies)


if __name__ == "__main__":
    main()
