"""What `footprint` counts on the simulator."""

from __future__ import annotations

import pytest
import torch

from grader.notebook import plots
from grader.notebook.footprint import Footprint, Moved, footprint

PLUS = "torch::Tensor plus_one(torch::Tensor x);"
PLUS_CUDA = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void plus_kernel(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = x[i] + 1.0f;
    }
}

torch::Tensor plus_one(torch::Tensor x) {
    auto out = torch::zeros_like(x);
    int n = x.numel();
    plus_kernel<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
"""


@pytest.fixture
def vector() -> torch.Tensor:
    """Return ten floats on the course's device."""
    from grader.toolchain import device

    return torch.arange(10.0, device=device)


def test_each_operator_reads_its_tensors_and_writes_its_result(vector: torch.Tensor) -> None:
    """relu(a + b) is two operations, of 80 + 40 and 40 + 40 bytes."""
    other = vector.clone()
    seen = footprint(lambda a, b: torch.relu(a + b), vector, other)
    assert seen.moved == (Moved("add", 80, 40), Moved("relu", 40, 40))
    assert seen.launches == 2
    assert seen.bytes == 200


def test_one_tensor_taken_twice_is_read_once(vector: torch.Tensor) -> None:
    """x * x reads x once."""
    assert footprint(lambda x: x * x, vector).moved == (Moved("mul", 40, 40),)


def test_views_and_allocations_move_nothing(vector: torch.Tensor) -> None:
    """What only describes memory is no operation."""
    assert footprint(lambda x: torch.empty_like(x.view(5, 2).t()), vector).moved == ()


def test_in_place_operations_and_copies_are_seen(vector: torch.Tensor) -> None:
    """In place reads and writes; a copy reads its source and writes its target; a fill only writes."""
    assert footprint(lambda x: x.add_(1), vector).moved == (Moved("add", 40, 40),)
    assert footprint(lambda x, y: x.copy_(y), vector, vector.clone()).moved == (Moved("copy", 40, 40),)
    assert footprint(lambda x: x.fill_(1), vector).moved == (Moved("fill", 0, 40),)


def test_a_tensor_like_another_is_filled_without_reading_it(vector: torch.Tensor) -> None:
    """What is asked for its shape alone is not read."""
    assert footprint(torch.zeros_like, vector).moved == (Moved("zeros_like", 0, 40),)


def test_kernels_of_its_own_count_beside_operators(vector: torch.Tensor) -> None:
    """A result that is filled and then written by the answer's kernel was written twice."""
    from grader import load_inline

    module = load_inline(name="plus", cpp_sources=PLUS, cuda_sources=PLUS_CUDA, functions=["plus_one"])
    seen = footprint(module.plus_one, vector)
    assert seen.moved == (Moved("zeros_like", 0, 40), Moved("your kernel", 40, 40))
    assert seen.launches == 2


def test_an_expanded_tensor_lies_in_one_place(vector: torch.Tensor) -> None:
    """A row that is repeated by a stride of 0 is read once."""
    wide = vector.expand(3, 10)
    assert footprint(lambda x: x + 1, wide).moved == (Moved("add", 40, 120),)


def test_a_table_and_a_picture_say_the_same() -> None:
    """Both name operations, kernels and bytes."""
    seen = Footprint((Moved("add", 8_000_000, 4_000_000),), 1)
    assert "1 kernel, 12.00 MB moved" in str(seen)
    picture = plots.traffic({"one": seen})
    assert "add reads 8 MB and writes 4 MB" in picture.alt
    assert {"read", "written", "add", "one: 1 kernel, 12 MB"} <= set(picture.labels)
    with pytest.raises(ValueError, match="at least one"):
        plots.traffic({})


def test_a_block_map_names_who_wrote_what() -> None:
    """Each element shows its thread, each block is in the legend, and nobody is named where nobody wrote."""
    blocks = [[(0, 0), (1, 0), (-1, -1)]]
    picture = plots.block_map(blocks, [[(0, 0), (0, 1), (-1, -1)]])
    assert {"0,0", "0,1", "block 0,0", "block 1,0"} <= set(picture.labels)
    assert "row 0: block 0,0 thread 0,0; block 1,0 thread 0,1; nobody" in picture.alt
    with pytest.raises(ValueError, match="up to"):
        plots.block_map([], [])
    with pytest.raises(ValueError, match="8 blocks"):
        plots.block_map([[(x, 0) for x in range(9)]], [[(0, 0)] * 9])
