"""CUDA's language, family by family: what each .cu file in `language/` computes is what CUDA documents.

A line `PUT(value);  // = expected` stores a value under its own line; the comment is Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

LANGUAGE = Path(__file__).parent / "language"
TABLES = re.compile(r"^void (run_\w+)\(long long \w+\)", re.MULTILINE)
ROW = re.compile(r"PUT\(.*;\s*// ([=~]) (.*)$")
FILES = sorted(path.stem for path in LANGUAGE.glob("*.cu") if TABLES.search(path.read_text()))


def rows(text: str) -> list[tuple[int, str, str]]:
    """Return line, relation and expectation of each value."""
    found = [(line, ROW.search(row)) for line, row in enumerate(text.split("\n"), 1)]
    return [(line, match[1], match[2]) for line, match in found if match]


def is_close(value: float, expected: float, relation: str) -> bool:
    """Whether a value is the expected one, or within 4 units of a float's last place."""
    if math.isnan(expected):
        return math.isnan(value)
    if relation == "=":
        return value == expected
    return abs(value - expected) <= 4 * 2**-23 * max(abs(expected), 2**-20)


def expectation(text: str) -> float:
    """Evaluate the comment behind a row."""
    return float(eval(text, {"np": np, "math": math}))


@pytest.mark.parametrize("name", FILES)
def test_values(sim: ModuleType, compiled: Callable[[str], ModuleType], name: str) -> None:
    """Every value is what CUDA's documentation says, and nothing is reported."""
    text = (LANGUAGE / f"{name}.cu").read_text()
    module = compiled(text)
    out = torch.full((text.count("\n") + 1200,), -12345.0, dtype=torch.float64, device="sim")
    for table in TABLES.finditer(text):
        getattr(module, table[1])(out.data_ptr())
    values = out.cpu()
    assert sim.reports() == []
    listed = rows(text)
    assert len(listed) == len(re.findall(r"^ .*\bPUT\(", text, re.MULTILINE))
    wrong = [
        f"line {line}: {float(values[line])!r}, expected {expected}"
        for line, relation, expected in listed
        if not is_close(float(values[line]), expectation(expected), relation)
    ]
    assert not wrong, "\n".join(wrong)


def test_a_wrong_expectation_is_seen() -> None:
    """The comparison tells a wrong value, a missing value and a NaN from the right one."""
    assert is_close(1 + 2**-23, 1, "~")
    assert not is_close(1 + 2**-20, 1, "~")
    assert not is_close(1 + 2**-23, 1, "=")
    assert not is_close(-12345.0, 0, "~")
    assert not is_close(math.nan, 1, "=")
