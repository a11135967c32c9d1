"""`memory_layout`: the elements of a tensor where they lie in memory, and the strides that find them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from grader.notebook.plots._picture import (
    BLUE,
    PALE,
    SERIES,
    VERMILION,
    Picture,
    arrow,
    canvas,
    cell,
    finish,
)

if TYPE_CHECKING:
    import torch
    from matplotlib.axes import Axes

MOST_CELLS = 48
PER_LINE = 24


def memory_layout(tensor: torch.Tensor, name: str = "tensor") -> Picture:
    """Draw a tensor of one or two dimensions as indexed, and below it its storage in address order.

    Colours are the tensor's rows.  Two arrows show what one step along each dimension is in memory.
    At most 48 elements of storage; the values are copied to the host to be written in the boxes.
    """
    if tensor.dim() not in (1, 2) or tensor.numel() == 0:
        shape = tuple(tensor.shape)
        raise ValueError(f"memory_layout draws 1 or 2 dimensions and no empty tensor, got {shape}")
    values = _storage(tensor)
    if len(values) > MOST_CELLS:
        raise ValueError(f"memory_layout draws at most {MOST_CELLS} elements of storage, got {len(values)}")
    owner = _owners(tensor)
    rows = tensor.shape[0] if tensor.dim() == 2 else 1
    lines = -(-len(values) // PER_LINE)
    figure, axes = canvas(1.35 + 0.34 * rows + 0.58 * lines)
    across = min(len(values), PER_LINE)
    _draw_logical(axes, tensor, values, owner, name)
    _draw_storage(axes, values, owner, lines)
    _draw_strides(axes, tensor)
    axes.set_xlim(-0.2, max(across, 2 * (tensor.shape[-1]) + 8, 16) + 0.2)
    axes.set_ylim(-1.75 * lines - 0.1, 2.9 + rows + 0.9)
    return finish(figure, _alt(tensor, values, owner, name))


def _storage(tensor: torch.Tensor) -> list[str]:
    whole = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = tensor.detach().as_strided((whole,), (1,), 0).cpu()
    return [f"{value:.3g}" if isinstance(value, float) else str(value) for value in flat.tolist()]


def _owners(tensor: torch.Tensor) -> dict[int, list[tuple[int, ...]]]:
    """Map a place in storage to the indices of the elements that lie there (several if expanded)."""
    owners: dict[int, list[tuple[int, ...]]] = {}
    for index in product(*(range(size) for size in tensor.shape)):
        owners.setdefault(_place(tensor, index), []).append(index)
    return owners


def _place(tensor: torch.Tensor, index: tuple[int, ...]) -> int:
    steps = sum(i * int(s) for i, s in zip(index, tensor.stride(), strict=True))
    return int(tensor.storage_offset()) + steps


def _row(tensor_index: tuple[int, ...]) -> int:
    return tensor_index[0] if len(tensor_index) == 2 else 0


def _fill(indices: list[tuple[int, ...]] | None) -> str:
    return SERIES[_row(indices[0]) % len(SERIES)] if indices else PALE


def _draw_logical(
    axes: Axes, tensor: torch.Tensor, values: list[str], owner: dict[int, list[tuple[int, ...]]], name: str
) -> None:
    rows = tensor.shape[0] if tensor.dim() == 2 else 1
    for place, indices in owner.items():
        for index in indices:
            x, y = index[-1] * 1.4, 2.9 + rows - 1 - _row(index)
            cell(axes, x, y, values[place], SERIES[_row(index) % len(SERIES)], width=1.4)
    says = f"{name}: shape {tuple(tensor.shape)}, stride {tensor.stride()}"
    if tensor.storage_offset():
        says += f", offset {tensor.storage_offset()}"
    axes.text(0, 2.9 + rows + 0.25, says, fontsize=10, va="bottom")


def _draw_storage(axes: Axes, values: list[str], owner: dict[int, list[tuple[int, ...]]], lines: int) -> None:
    for place, value in enumerate(values):
        line, column = divmod(place, PER_LINE)
        y = -1.75 * line
        cell(axes, column, y, value, _fill(owner.get(place)), size=7.5)
        axes.text(column + 0.5, y - 0.12, str(place), ha="center", va="top", fontsize=6.5, color="#555555")
    says = "memory: element offset from the start of the storage, in address order"
    if len(owner) < len(values):
        says += "; grey is not part of this view"
    axes.text(0, -1.75 * (lines - 1) - 0.62, says, fontsize=8.5, va="top", color="#555555")


def _draw_strides(axes: Axes, tensor: torch.Tensor) -> None:
    """Draw one step along each dimension as an arc above the first line of storage."""
    colours = (VERMILION, BLUE)
    origin = int(tensor.storage_offset())
    right = 1.4 * tensor.shape[-1] + 0.8
    rows = tensor.shape[0] if tensor.dim() == 2 else 1
    for d in range(tensor.dim()):
        size, stride = int(tensor.shape[d]), int(tensor.stride(d))
        step = "row" if d == 0 and tensor.dim() == 2 else "column" if tensor.dim() == 2 else "element"
        says = f"next {step}: {stride:+d} in memory" if size > 1 else f"only one {step}"
        says += " (the same place)" if size > 1 and not stride else ""
        axes.text(right, 2.9 + rows - 0.5 - 1.0 * d, says, fontsize=9, color=colours[d], va="center")
        if size > 1 and stride and origin + stride < PER_LINE:
            _arc(axes, origin, origin + stride, colours[d], 1.05 + 0.05 * d)


def _arc(axes: Axes, start: int, end: int, colour: str, y: float) -> None:
    bend = min(0.5, 1.6 / max(abs(end - start), 1))
    arrow(
        axes,
        (start + 0.5, y),
        (end + 0.5, y),
        color=colour,
        connectionstyle=f"arc3,rad={-bend}",
        linewidth=1.6,
        mutation_scale=11,
    )


def _alt(tensor: torch.Tensor, values: list[str], owner: dict[int, list[tuple[int, ...]]], name: str) -> str:
    places = "; ".join(
        f"offset {place} holds {value}, {_owner_text(owner.get(place))}" for place, value in enumerate(values)
    )
    return (
        f"Memory layout of {name}, shape {tuple(tensor.shape)}, stride {tensor.stride()}, "
        f"offset {tensor.storage_offset()}. In address order: {places}."
    )


def _owner_text(indices: list[tuple[int, ...]] | None) -> str:
    if not indices:
        return "not in this view"
    texts = [str(list(index)) for index in indices]
    return texts[0] if len(texts) == 1 else f"{texts[0]} to {texts[-1]} ({len(texts)} elements)"
