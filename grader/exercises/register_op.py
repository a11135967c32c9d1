"""`relu(a + b)` as an operator of PyTorch's.  Out of scope: double backward, autocast, in-place variants."""

from __future__ import annotations

import torch

from grader.checks import (
    Build,
    Close,
    Compile,
    DataRace,
    Device,
    Gradcheck,
    Inputs,
    Launch,
    Memory,
    OpCheck,
    Policy,
    Rejects,
    StreamRace,
)
from grader.checks.rejects import of_shape, on_cpu
from grader.exercise import Case, Exercise, Operator
from grader.exercises.add_relu_function import EXERCISE as ADD_RELU_FUNCTION

EXERCISE = Exercise(
    id="register_op",
    lesson="08_shipping",
    points=16,
    answer=Operator("course::add_relu", "course::add_relu(Tensor a, Tensor b) -> Tensor"),
    parameters=("a", "b"),
    inputs=ADD_RELU_FUNCTION.inputs,
    reference=ADD_RELU_FUNCTION.reference,
    cases=(
        Case("one", (1,)),
        Case("a full block less one", (1023,)),
        Case("a full block and one", (1025,)),
        Case("many blocks", (65_537,)),
        Case("drawn", (-1,)),
        Case("float64", (515,), dtype=torch.float64),
        Case("float64 matrix", (-1, -1), dtype=torch.float64),
        Case("transposed", (64, 33), "transposed"),
        Case("one transposed, float64", (33, 70), "dense,transposed", torch.float64),
        Case("offset", (301,), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("expanded", (21, 29), "expanded,dense"),
    ),
    checks=(
        Build(),
        Close(3),
        Rejects(
            1,
            (
                on_cpu(0, "a"),
                on_cpu(1, "b"),
                of_shape(1, "b", "one row short", lambda b: b[:-1]),
                of_shape(1, "b", "of one row", lambda b: b[:1]),
            ),
        ),
        Inputs(1),
        Gradcheck(2),
        OpCheck(
            3,
            (
                Case("dense", (-1, -1)),
                Case("transposed", (5, 7), "transposed", torch.float64),
                Case("three dimensions", (2, 3, 5)),
            ),
        ),
        Compile(
            2, (Case("vector", (-1,)), Case("matrix", (-1, -1)), Case("float64", (9, 4), dtype=torch.float64))
        ),
        StreamRace(1),
        Device(1),
        Memory(1),
        DataRace(0),
        Launch(1),
        Policy(0),
    ),
    hints=(
        "Which three things does the compiler need that the kernel alone does not tell: what the operator is "
        "called and takes, what form its result has, and how its gradient follows? One of them is C++.",
        'TORCH_LIBRARY(course, m) { m.def("add_relu(Tensor a, Tensor b) -> Tensor"); } and '
        "TORCH_LIBRARY_IMPL(course, CUDA, m) name the operator and its kernel. In Python, "
        'torch.library.register_fake("course::add_relu") decorates a function that returns an empty tensor: '
        "of which shape and which strides, where a is transposed?",
        "The fake: torch.empty_like(a, memory_format=torch.contiguous_format) for a dense result. "
        "def setup(ctx, inputs, output): ctx.save_for_backward(output); def backward(ctx, grad): grad = grad "
        "* (ctx.saved_tensors[0] > 0); return grad, grad; and last "
        'torch.library.register_autograd("course::add_relu", backward, setup_context=setup).',
    ),
)
