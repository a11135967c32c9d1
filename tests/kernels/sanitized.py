"""The program under compute-sanitizer: run forms one after another, with marks between their reports.

python -m tests.kernels.sanitized DEVICE SOURCE LIBRARY [SOURCE LIBRARY ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.kernels.execution import run_here
from tests.kernels.sanitizer import BEGIN, END


def main(arguments: list[str]) -> int:
    """Run all pairs; a form that breaks the device ends the program, and the caller goes on behind it."""
    device, *paths = arguments
    for source, library in zip(paths[::2], paths[1::2], strict=True):
        print(f"{BEGIN} {source}", flush=True)
        seen = run_here(Path(source), Path(library), device)
        if seen.error:
            print(f"error: {seen.error}", flush=True)
            return 1
        print(END, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
