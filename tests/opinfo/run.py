"""Compares PyTorch's whole operator database, or a seeded part of it, on the device with the CPU.

python -m tests.opinfo.run [--part N --seed S --most M] [--only NAME ...] [--table docs/reports/opinfo.md]
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import select
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.opinfo import table
from tests.opinfo.database import name_of, operators
from tests.opinfo.table import Result

ROOT = Path(__file__).resolve().parents[2]
SECONDS_FOR_A_SAMPLE = 120


class Worker:
    """A process that compares samples.  A crash or a hang costs one sample, and the process."""

    def __init__(self, most: int | None) -> None:
        """Compare at most `most` samples of a kind.  The process starts when it is first needed."""
        self._most = most
        self._process: subprocess.Popen[str] | None = None

    def results(self, index: int, name: str) -> Iterator[Result]:
        """Yield the outcome of every sample of one operator."""
        done = 0
        while True:
            unfinished = ""
            for message in self._replies(index, done):
                if isinstance(message, dict):
                    unfinished = message["begin"]
                elif isinstance(message, list):
                    done, unfinished = done + 1, ""
                    yield Result(name, *message)
                else:
                    return
            verdict = self.end()
            if unfinished:
                done += 1
                yield Result(name, unfinished, "fail", verdict)
            elif verdict != "lost":
                yield Result(name, "samples", "fail", verdict)
                return

    def _replies(self, index: int, first: int) -> Iterator[object]:
        process = self._started()
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps([index, first, self._most]) + "\n")
        process.stdin.flush()
        rest = b""
        while select.select([process.stdout], [], [], SECONDS_FOR_A_SAMPLE)[0]:
            if not (read := os.read(process.stdout.fileno(), 1 << 16)):
                return
            *lines, rest = (rest + read).split(b"\n")
            yield from (messages := [json.loads(line) for line in lines])
            if None in messages:
                return

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.opinfo.worker"],
                cwd=ROOT, text=True, bufsize=1,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        return self._process

    def end(self) -> str:
        """End the process, and say how it had ended: `lost` where it gave up a lost context."""
        process, self._process = self._process, None
        if process is None:
            return ""
        code = process.poll()
        try:
            code = process.wait(1) if code is None else code
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if code is None:
            return f"no answer for {SECONDS_FOR_A_SAMPLE} s"
        return "lost" if code == 3 else f"the process ended with {code}"


@dataclass
class Run:
    """The results of a set of operators, gathered by several workers."""

    names: list[str]
    results: list[Result] = field(default_factory=list)

    def gather(self, indices: Sequence[int], jobs: int, most: int | None) -> None:
        """Compare the operators at `indices`."""
        todo: queue.SimpleQueue[int] = queue.SimpleQueue()
        for index in indices:
            todo.put(index)
        threads = [threading.Thread(target=self._work, args=(todo, most)) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        order = {name: place for place, name in enumerate(self.names)}
        self.results.sort(key=lambda result: order[result.operator])

    def _work(self, todo: queue.SimpleQueue[int], most: int | None) -> None:
        worker = Worker(most)
        while True:
            try:
                index = todo.get_nowait()
            except queue.Empty:
                break
            self.results.extend(worker.results(index, self.names[index]))
        worker.end()


def gather(
    only: Sequence[str] = (),
    part: int | None = None,
    seed: int = 0,
    jobs: int = 2,
    most: int | None = None,
) -> Run:
    """Compare the operators named, or `part` of them drawn by `seed`, or all; `most` samples of a kind."""
    run = Run([name_of(op) for op in operators()])
    indices = [n for n, name in enumerate(run.names) if not only or name in only]
    if part is not None:
        indices = sorted(random.Random(seed).sample(indices, part))
    run.gather(indices, jobs, most)
    return run


def main() -> int:
    """Run from the command line: exit code 1 where something has to be mended."""
    options = _options()
    run = gather(options.only, options.part, options.seed, options.jobs, options.most)
    if options.results:
        options.results.write_text("".join(json.dumps(vars(result)) + "\n" for result in run.results))
    if options.table:
        options.table.write_text(table.render(run.results, table.reasons()))
    said = table.complaints(run.results, table.reasons())
    for line in said:
        print(line)
    print(", ".join(f"{what}: {share:.2%}" for what, share in table.shares(run.results).items()))
    return bool(said)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="these operators")
    parser.add_argument("--part", type=int, help="so many operators, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, help="at most so many samples of a kind")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--table", type=Path, help="write the table here")
    parser.add_argument("--results", type=Path, help="write each sample's outcome here, as lines of JSON")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
