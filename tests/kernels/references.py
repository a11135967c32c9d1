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
