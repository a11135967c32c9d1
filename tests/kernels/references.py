"""What the kernel programs must return, in float64 or exact, from PyTorch on the CPU."""

from __future__ import annotations

import torch
from torch.nn import functional

Tensor = torch.Tensor


def spans(x: Tensor, span: int) -> Tensor:
    """Return `x` as rows of `span`, the last filled up with zeros."""
    return functional.pad(x, (0, -len(x) % span)).view(-1, span)


def span_sums(x: Tensor, span: int) -> Tensor:
    """Return the sum of each span."""
    return spans(x.double(), span).sum(1)


def inclusive(x: Tensor, span: int) -> Tensor:
    """Return running sums within each span."""
    return spans(x, span).cumsum(1).flatten()[: len(x)].int()


def exclusive(x: Tensor, span: int) -> Tensor:
    """Return running sums within each span, without the element itself."""
    rows = spans(x, span)
    return (rows.cumsum(1) - rows).flatten()[: len(x)].int()


def shares(x: Tensor, span: int) -> Tensor:
    """Return each element divided by the sum of its span."""
    rows = spans(x.double(), span)
    return (rows / rows.sum(1, keepdim=True)).flatten()[: len(x)]


def neighbour_sums(x: Tensor, radius: int) -> Tensor:
    """Return sums of `2 * radius + 1` neighbours; zeros beyond the ends."""
    return functional.pad(x.double(), (radius, radius)).unfold(0, 2 * radius + 1, 1).sum(1)


def smoothed(x: Tensor) -> Tensor:
    """Return the mean of each cell and its four neighbours; zeros outside."""
    p = functional.pad(x.double(), (1, 1, 1, 1))
    return (p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]) / 5


def convolved(x: Tensor, weights: Tensor) -> Tensor:
    """Return the 3 x 3 convolution with an eighth of the weights; the border is repeated outside."""
    padded = functional.pad(x.double()[None, None], (1, 1, 1, 1), mode="replicate")
    return functional.conv2d(padded, weights.double()[None, None] / 8)[0, 0]


def normalised(x: Tensor) -> Tensor:
    """Return rows with mean 0 and variance 1."""
    return functional.layer_norm(x.double(), x.shape[1:], eps=1e-5)


def root_mean_square_normalised(x: Tensor) -> Tensor:
    """Return rows divided by their root mean square."""
    rows = x.double()
    return rows / (rows.square().mean(1, keepdim=True) + 1e-6).sqrt()


def distances(x: Tensor) -> Tensor:
    """Return for each element the sum of its distances to all."""
    return (x.double()[:, None] - x.double()[None, :]).abs().sum(1)


def scattered(x: Tensor, index: Tensor) -> Tensor:
    """Return rows added to ten places; -1 is no place."""
    taken = index >= 0
    return torch.zeros(10, x.shape[1]).double().index_add(0, index[taken].long(), x[taken].double())


def segment_sums(x: Tensor, offsets: Tensor) -> Tensor:
    """Return the sum of each segment between two offsets."""
    bounds = offsets.tolist()
    return torch.stack([x[a:b].double().sum() for a, b in zip(bounds, bounds[1:], strict=False)])


def moments(x: Tensor) -> Tensor:
    """Return the sum and the sum of squares."""
    return torch.stack([x.double().sum(), x.double().square().sum()])


def quantised(x: Tensor) -> Tensor:
    """Return rows scaled to a largest magnitude of 64, ties to even.  Inputs keep the division exact."""
    return (x / x.abs().amax(1, keepdim=True) * 64).round().to(torch.int8)


def spread(x: Tensor) -> Tensor:
    """Return mean and range of each row."""
    rows = x.double()
    return torch.stack([rows.mean(1), rows.amax(1) - rows.amin(1)], dim=1)


def generations(board: Tensor, count: int) -> Tensor:
    """Return the board of Conway's game on a torus after some generations."""
    shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
    for _ in range(count):
        living = sum((board.roll(shift, (0, 1)) for shift in shifts), torch.zeros_like(board))
        board = ((living == 3) | ((living == 2) & (board == 1))).int()
    return board


def heated(x: Tensor, count: int) -> Tensor:
    """Return the plate after some Jacobi steps; its corner holds how many cells the last step moved."""
    plate, moved = x.double(), 0
    for _ in range(count):
        before = plate.clone()
        plate[1:-1, 1:-1] = (before[1:-1, :-2] + before[1:-1, 2:] + before[:-2, 1:-1] + before[2:, 1:-1]) / 4
        moved = int(((plate - before).abs() > 1e-3).sum())
    plate[0, 0] = moved
    return plate


def hits(seeds: Tensor, draws: int) -> Tensor:
    """Return how many points of all generators lie in the quarter circle."""
    state, count = seeds.long(), 0

    def drawn() -> Tensor:
        nonlocal state
        state = state ^ (state << 13 & 0xFFFFFFFF)
        state = state ^ state >> 17
        state = state ^ (state << 5 & 0xFFFFFFFF)
        return state >> 16

    for _ in range(draws):
        x, y = drawn(), drawn()
        count += int((x * x + y * y < 1 << 32).sum())
    return torch.tensor([count], dtype=torch.int32)


def rising_chain(x: Tensor, span: int) -> Tensor:
    """Return the running sum of the spans' sums."""
    return span_sums(x, span).cumsum(0)
