"""A package's sources to a wheel: its own setup.py, PyTorch's BuildExtension, compilers that we stand in for.

`docs/decisions/0080-wheels-of-answers.md` says how and why.
"""

from __future__ import annotations

from grader.toolchain.wheels.hook import BuiltWheel, build
from grader.toolchain.wheels.kit import Kit

__all__ = ["BuiltWheel", "Kit", "build"]
