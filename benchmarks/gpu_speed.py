"""The model answers' own speed on a GPU, in the table that the repository keeps.

python benchmarks/gpu_speed.py docs/reports/gpu_speed.md

Each operation has a process of its own.  All build and warm up at once; then one at a time has the GPU.
What one of them cannot do costs its own rows only, and the report is written anew after each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.gpu_operations import OPERATIONS, TIMED  # noqa: E402  (run as a file, the root is not on the path)

SIZES = (1 << 28, 1 << 30)
PREPARING, MEASURING = 200.0, 40.0
"""Seconds that all may take until they are ready, from the start, and each to measure."""
FORMS = ("plain", "fast", "eager", "compiled")
HEAD = """\
# How fast the model answers are

Written by `python benchmarks/gpu_speed.py docs/reports/gpu_speed.md`, on

{machine}

The *plain* form is the model answer that a lesson teaches (`solutions/`). The *fast* form is the same operation with 16-byte loads, several of them under way in each thread, rows that stay in registers between two uses, and a tail of single elements (`tests/submissions/<exercise>/right__fast_form.cu`); the judge gives it full marks on `sim` like every right submission. *Eager* and *compile* are the same operation by PyTorch's operators, and by `torch.compile` with its default options.

*Size* is the bytes of the first argument, float32, in rows of 4096 (`segment_sum`: rows of 128 in segments of 64 on average). *Bytes* is the least that has to move: each argument read once and each result written once. *Share* is those bytes over the time, divided by what `Tensor.copy_` reached for as many bytes in the same process just before. Results are compared with eager's at the smaller size. Times are medians of {timed} single calls by CUDA events; every size is several times the L2 cache, so that nothing is found there from the call before.
"""  # noqa: E501 - a paragraph of the report is one line


def machine() -> str:
    """Name what was measured on."""
    import torch

    properties = torch.cuda.get_device_properties(0)
    parts = (
        f"{datetime.now(UTC):%Y-%m-%d}",
        f"{properties.name}, {properties.multi_processor_count} multiprocessors",
        f"{getattr(properties, 'L2_cache_size', 0) >> 20} MiB of L2, driver {_driver()}",
        f"CUDA {torch.version.cuda}, torch {torch.__version__}, Python {platform.python_version()}",
    )
    return " · ".join(parts)


def _driver() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown"


class Child:
    """One operation's process; its output goes to files, so that no pipe fills up."""

    def __init__(self, name: str, sizes: tuple[int, ...], folder: Path) -> None:
        """Start it."""
        self.name, self.sizes = name, sizes
        stem = folder / name.replace(" ", "_")
        self.said, self.errors = stem.with_suffix(".out"), stem.with_suffix(".err")
        environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            "TORCHINDUCTOR_COMPILE_THREADS": "2", "OMP_NUM_THREADS": "2",
        }  # fmt: skip
        with self.said.open("w") as out, self.errors.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.gpu_timing", name, *map(str, sizes)],
                stdin=subprocess.PIPE, stdout=out, stderr=err, text=True, env=environment, cwd=ROOT,
            )  # fmt: skip

    def ready(self, deadline: float) -> bool:
        """Wait until it is prepared; False if it ended or took too long."""
        while time.monotonic() < deadline and self.process.poll() is None:
            if "READY" in self.said.read_text():
                return True
            time.sleep(0.2)
        return self.process.poll() is None and "READY" in self.said.read_text()

    def rows(self) -> list[dict[str, Any]]:
        """Let it measure, and return what it said of each size."""
        assert self.process.stdin
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.close()
            self.process.wait(MEASURING)
        except (OSError, subprocess.TimeoutExpired):
            pass
        self.end()
        found = [json.loads(line) for line in self.said.read_text().splitlines() if line.startswith("{")]
        return found or [self.failure("it gave no result")]

    def failure(self, what: str) -> dict[str, Any]:
        """Return what stands for rows that could not be had."""
        tail = (self.errors.read_text().strip().splitlines() or ["no message"])[-1]
        return {"operation": self.name, "failure": f"{what}: {tail[:300]}"}

    def end(self) -> None:
        """End the process if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def measured(names: list[str], sizes: tuple[int, ...], folder: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of one operation after the other."""
    deadline = time.monotonic() + PREPARING
    children = [Child(name, sizes, folder) for name in names]
    try:
        ready = [child.ready(deadline) for child in children]
        for child, fine in zip(children, ready, strict=True):
            yield child.rows() if fine else [child.failure("it was not prepared")]
            print(child.errors.read_text()[-2000:], file=sys.stderr)
    finally:
        for child in children:
            child.end()


def report(rows: list[dict[str, Any]], head: str) -> str:
    """Return the whole report."""
    lines = [
        "| operation | size | bytes | copy | plain | share | fast | share | eager | compile "
        "| fast / compile |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [_line(row) for row in rows if "failure" not in row]
    notes = [f"- {row['operation']}: {row['failure']}" for row in rows if "failure" in row]
    notes += [
        f"- {row['operation']}, {_size(row['size'])}, {form}: {text}"
        for row in rows
        for form, text in row.get("problems", {}).items()
    ]
    told = ["", "Not measured, and why:", "", *notes] if notes else []
    return "\n".join([head, *lines, *told, ""])


def _line(row: dict[str, Any]) -> str:
    times = row["seconds"]
    cells = [row["operation"], _size(row["size"]), f"{row['moved'] / 1e6:.0f} MB"]
    cells.append(f"{row['moved'] / row['copy'] / 1e12:.2f} TB/s")
    for form in FORMS:
        if form not in times:
            cells += ["–", "–"] if form in ("plain", "fast") else ["–"]
            continue
        cells.append(f"{times[form] * 1e6:.0f} µs")
        if form in ("plain", "fast"):
            cells.append(f"{row['copy'] / times[form]:.0%}")
    both = "fast" in times and "compiled" in times
    cells.append(f"{times['fast'] / times['compiled']:.2f}" if both else "–")
    return f"| {' | '.join(cells)} |"


def _size(size: int) -> str:
    return f"2^{size.bit_length() - 1} B"


def main() -> int:
    """Measure and write; fail if any form is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("--only", nargs="*", help="operations by name")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES, help="bytes of the first argument")
    options = parser.parse_args()
    names = [one.name for one in OPERATIONS if not options.only or one.name in options.only]
    head = HEAD.format(machine=machine(), timed=TIMED)
    rows: list[dict[str, Any]] = []
    options.report.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for found in measured(names, tuple(options.sizes), Path(folder)):
            rows += found
            options.report.write_text(report(rows, head), encoding="utf-8")
            print(*found, f"{time.monotonic() - started:.0f} s", sep="\n", flush=True)
    print(report(rows, head))
    return int(any("failure" in row or row.get("problems") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
