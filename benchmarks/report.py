"""Run every benchmark on this machine and write the report that the repository keeps.

python benchmarks/report.py docs/reports/benchmarks.md
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

SECTIONS = (
    (
        "First use",
        "first_use.py",
        "Building the runtime, its headers and precompiled headers, once per user, into an empty cache.",
    ),
    (
        "Time to a verdict",
        "verdict_latency.py",
        "From the text of a right answer to `add_relu` to its verdict on `sim`, with the runtime built. "
        "*Never seen* has names in it that no earlier source had, so that no cache can help.",
    ),
)
HEAD = """\
# What a verdict costs

Written by `make bench`. Bounds are the course's promises, for a machine with 2 cores. The last column is the ratio to the step that PyTorch's `load_inline` cannot avoid without a GPU either: g++ on its pybind11 binding file, measured in the same run.
"""  # noqa: E501 - a paragraph of the report is one line


def machine() -> str:
    """Name what was measured on, as far as it decides the numbers."""
    compiler = subprocess.run(
        ["g++", "-dumpfullversion"], capture_output=True, text=True, check=True
    ).stdout.strip()
    parts = (
        f"{datetime.now(UTC):%Y-%m-%d}",
        f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores ({processor()})",
        f"Python {platform.python_version()}, torch {version('torch')}, g++ {compiler}",
    )
    return " · ".join(parts)


def processor() -> str:
    """Return the processor's model, or `model unknown`."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), "model unknown"
    )


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    report = parser.parse_args().report
    parts = [HEAD, machine() + "\n"]
    for title, program, words in SECTIONS:
        command = [sys.executable, str(Path(__file__).parent / program)]
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(table)
        parts.append(f"## {title}\n\n{words}\n\n{table}")
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
