"""`add_relu` as a package.  Out of scope: source distributions, several architectures, operators."""

from __future__ import annotations

import torch

from grader.checks import (
    Build,
    Close,
    DataRace,
    Device,
    Flags,
    Inputs,
    Launch,
    Memory,
    Policy,
    Rejects,
    StreamRace,
)
from grader.checks.rejects import all_of_dtype, of_shape, on_cpu
from grader.exercise import Case, Exercise, Files
from grader.exercises.add_relu import EXERCISE as ADD_RELU

EXERCISE = Exercise(
    id="ship_it",
    lesson="08_shipping",
    points=12,
    answer=Files(
        ("setup.py", "myops/__init__.py", "csrc/bindings.cpp", "csrc/fused_kernels.cu"),
        "myops._C",
        "add_relu",
        "myops._C.add_relu(a, b)",
        may_be_empty=("myops/__init__.py",),
    ),
    parameters=("a", "b"),
    inputs=ADD_RELU.inputs,
    reference=ADD_RELU.reference,
    cases=(
        Case("one", (1,)),
        Case("a full block less one", (1023,)),
        Case("a full block and one", (1025,)),
        Case("many blocks", (65_537,)),
        Case("drawn", (-1,)),
        Case("matrix", (-1, -1)),
        Case("transposed", (64, 33), "transposed"),
        Case("one transposed", (33, 70), "dense,transposed"),
        Case("offset", (301,), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("expanded", (21, 29), "expanded,dense"),
    ),
    checks=(
        Build(3),
        Close(2),
        Flags(2),
        Rejects(
            1,
            (
                on_cpu(0, "a"),
                on_cpu(1, "b"),
                of_shape(1, "b", "one row short", lambda b: b[:-1]),
                of_shape(1, "b", "of one row", lambda b: b[:1]),
                all_of_dtype("a and b", torch.float64),
            ),
        ),
        Inputs(0),
        StreamRace(1),
        Device(1),
        Memory(1),
        DataRace(0),
        Launch(1),
        Policy(0),
    ),
    hints=(
        "setup.py says what is compiled from what. Which name has the extension, so that it lands inside the "
        "package? Which of the four files does setuptools have to be told of, and which does it find?",
        'CUDAExtension("myops._C", [the two files in csrc]), cmdclass={"build_ext": BuildExtension}, and '
        'packages=["myops"]: without the last, __init__.py stays behind. The flags are a dict, one list for '
        "each compiler.",
        "bindings.cpp declares torch::Tensor add_relu(torch::Tensor a, torch::Tensor b); and says "
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add_relu", &add_relu); }. fused_kernels.cu is the '
        'answer of lesson 02. extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "-lineinfo"]}. '
        "__init__.py: import torch, then from myops import _C.",
    ),
)
