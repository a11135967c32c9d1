"""What a Python answer may say: programs pass, and what only changes the worker is refused with its line."""

from __future__ import annotations

import pytest

from grader.judge.tampering import tampering


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.backends.cuda.matmul.allow_tf32 = False",
        "torch.backends.cudnn.benchmark = True",
        "import kernels\n\ndef f(a, b):\n    return kernels.add_relu(a, b)",
        "class F(torch.nn.Module):\n    def forward(ctx, a):\n        ctx.mark = a > 0",
        "from grader import device\ncounts = {}\ncounts['chain'] = 3",
        "import math, functools\nscale = functools.partial(math.pow, 2)",
        "def f(:",
        None,
    ],
)
def test_what_programs_say_is_no_tampering(text: str | None) -> None:
    """Settings, contexts and names of the answer's own are its business; a syntax error is `build`'s."""
    assert tampering(text) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import torch\n\ntorch.zeros = None", "it changes torch.zeros (line 3)"),
        ("torch.backends.cuda = None", "it changes torch.backends.cuda"),
        ("import torch as t\nt.Tensor.cpu = print", "it changes t.Tensor.cpu"),
        ("setattr(torch, 'add', print)", "it changes torch"),
        ("import ctypes", "it imports ctypes"),
        ("from grader.judge import worker", "it imports grader.judge"),
        ("__import__('os')", "__import__"),
        ("def f(a):\n    f.__globals__['x'] = a", "__globals__ is not for answers (line 2)"),
    ],
)
def test_what_changes_the_worker_is_refused(text: str, told: str) -> None:
    """The message says what, and where."""
    assert told in str(tampering(text))
