"""Traffic is counted as the hardware's rules say: 32 lanes a request, 32 bytes a sector, 32 banks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import torch

SOURCE = """#include <torch/extension.h>
__global__ void strided(const float* in, float* out, int step) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[(blockIdx.x * blockDim.x + threadIdx.x) * step];
}
__global__ void banks(float* out, int step) {
    __shared__ float tile[1024];
    tile[threadIdx.x * step] = 1.f;
    out[threadIdx.x] = tile[threadIdx.x * step];
}
void run_strided(torch::Tensor in, torch::Tensor out, int64_t step) {
    strided<<<2, 64>>>(in.data_ptr<float>(), out.data_ptr<float>(), (int)step);
}
void run_banks(torch::Tensor out, int64_t step) { banks<<<1, 32>>>(out.data_ptr<float>(), (int)step); }
"""


def test_sectors_grow_with_the_stride(sim: ModuleType, compiled: Callable[[str], ModuleType]) -> None:
    """A warp's request takes 4 sectors where lanes are neighbours, and 32 where each has its own."""
    module, out = compiled(SOURCE), torch.zeros(128, device="sim")
    for step, sectors in ((1, 4), (2, 8), (8, 32)):
        with sim.count_traffic() as traffic:
            module.run_strided(torch.ones(128 * step, device="sim"), out, step)
        assert traffic.total("requests", access="read") == 4
        assert traffic.total("bytes", access="read") == 512
        assert traffic.total("sectors", access="read") == 4 * sectors
        assert traffic.total("sectors", access="write") == 16
        assert {row["line"] for row in traffic.lines} == {3}
        unique = {(row["argument"], row["access"]): row["bytes"] for row in traffic.unique}
        assert unique == {("in", "read"): 512, ("out", "write"): 512}
        assert [launch["kernel"] for launch in traffic.launches] == ["strided"]


def test_bank_conflicts(sim: ModuleType, compiled: Callable[[str], ModuleType]) -> None:
    """Lanes one word apart meet 32 banks at once; 32 words apart they all wait for one."""
    module, out = compiled(SOURCE), torch.zeros(32, device="sim")
    for step, conflicts in ((1, 0), (2, 1), (32, 31), (31, 0)):
        with sim.count_traffic() as traffic:
            module.run_banks(out, step)
        assert traffic.total("conflicts", space="shared", access="read") == conflicts
        assert traffic.total("wavefronts", space="shared", access="write") == conflicts + 1


def test_nothing_is_counted_outside(sim: ModuleType, compiled: Callable[[str], ModuleType]) -> None:
    """What ran before and after a count is not in it."""
    module, out = compiled(SOURCE), torch.zeros(32, device="sim")
    module.run_banks(out, 1)
    with sim.count_traffic() as traffic:
        pass
    module.run_banks(out, 1)
    assert (traffic.lines, traffic.unique, traffic.launches) == ([], [], [])
