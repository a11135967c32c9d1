"""What kernels ask of memory: requests, bytes, sectors and bank conflicts, counted and never timed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from grader.simulator import symbols
from grader.simulator.runtime import check, launch_log, library, traffic_log


@dataclass
class Traffic:
    """Filled when the counting ends."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    """For each place in a kernel: `line`, `access`, `space`, and sums of `accesses`, `requests` (of a warp),
    `bytes`, `sectors` (32 bytes, global memory), `wavefronts` and `conflicts` (shared memory)."""
    unique: list[dict[str, Any]] = field(default_factory=list)
    """For each launch and argument the `bytes` that were read or written, each byte once."""
    launches: list[dict[str, Any]] = field(default_factory=list)
    """The kernels that were launched, in order."""

    def total(self, what: str, **where: Any) -> int:
        """Return the sum of a count over the lines that have these values, as `access="read"`."""
        rows = (row for row in self.lines if all(row.get(key) == value for key, value in where.items()))
        return sum(int(row[what]) for row in rows)


@contextmanager
def traffic() -> Iterator[Traffic]:
    """Count the traffic of the kernels that run inside.  They run much slower.

    Work that was queued before is run first; the launch log of what runs inside is taken.
    """
    import torch

    _synchronise(torch)
    launch_log()
    found = Traffic()
    check(library().sim_set_traffic(1))
    try:
        yield found
        _synchronise(torch)
    finally:
        check(library().sim_set_traffic(0))
        counted = traffic_log()
        found.lines = symbols.resolve(counted["lines"])
        found.unique = list(counted["unique"])
        found.launches = launch_log()


def _synchronise(torch: Any) -> None:
    for index in range(torch.accelerator.device_count()):
        torch.accelerator.synchronize(index)
