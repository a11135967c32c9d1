"""What the first use costs: seconds to build the simulator's runtime and headers, and their size on disk.

    python benchmarks/first_use.py

Builds into an empty folder, and leaves the user's own cache alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import baseline
from table import Measurement, markdown

MEGABYTE = 1e6


def build_seconds(cache: Path) -> float:
    """Run `grader setup` with an empty cache and return the wall time."""
    started = time.perf_counter()
    environment = {**os.environ, "GRADER_CACHE": str(cache)}
    subprocess.run(
        [sys.executable, "-m", "grader.cli", "setup"], env=environment, check=True, stdout=sys.stderr
    )
    return time.perf_counter() - started


def disk_bytes(folder: Path) -> int:
    """Return the disk space that the files of a folder take."""
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        first = build_seconds(cache)
        size = disk_bytes(cache) / MEGABYTE
        again = build_seconds(cache)
        binding = baseline.binding_seconds(Path(folder))
    measurements = [
        Measurement("first use: build of runtime and headers", (first,), bound=90),
        Measurement("later use: the runtime is found", (again,)),
        Measurement("disk", (size,), unit="MB", bound=600),
        Measurement("`load_inline`'s g++ step (binding file)", (binding,)),
    ]
    print(markdown(measurements, "g++ step", binding))


if __name__ == "__main__":
    main()
