"""Well-known kernels on the simulator: right forms are right and silent, each fault is called by its name."""

from __future__ import annotations

from typing import Any

import pytest

from grader.toolchain.runtime import ensure
from tests.kernels.corpus import VALUES, Form, forms
from tests.kernels.execution import ORDERS, Observation, built, observe
from tests.kernels.programs import PROGRAMS

FORMS = forms()
RIGHT = [form for form in FORMS if form.kind is None]
FAULTY = [form for form in FORMS if form.kind is not None]
# Kinds that the engine does not report yet: expected to fail, and turned on with the check.
PENDING = frozenset({"data_race"})


@pytest.fixture(scope="module", autouse=True)
def _runtime() -> None:
    ensure()


def _marked(form: Form) -> Any:
    pending = pytest.mark.xfail(reason=f"the engine does not report {form.kind} yet", strict=False)
    return pytest.param(form, id=form.name, marks=pending if form.kind in PENDING else ())


def _seen(form: Form) -> list[Observation]:
    result = built(form, "sim")
    assert result.ok, result.output
    assert result.library
    if form.kind is None:
        return observe(form, result.library, "sim", ORDERS)
    # A fault may be the end of the device, so each order has a process.
    return [observe(form, result.library, "sim", (order,))[0] for order in ORDERS]


@pytest.mark.parametrize("form", RIGHT, ids=lambda form: form.name)
def test_a_right_kernel_is_right_and_silent(form: Form) -> None:
    """In each order of blocks and threads the values are right, and nothing is reported."""
    for order, seen in zip(ORDERS, _seen(form), strict=True):
        assert not seen.error, order
        assert not seen.reports, order
        assert seen.values == "right", order


@pytest.mark.parametrize("form", [_marked(form) for form in FAULTY])
def test_a_fault_is_reported_as_its_kind(form: Form) -> None:
    """In each order the report of the fault is there, and none that the fault does not bring about."""
    for order, seen in zip(ORDERS, _seen(form), strict=True):
        if form.kind == VALUES:
            assert (seen.kinds, seen.values, seen.error) == (frozenset(), "wrong", ""), order
        else:
            assert form.kind in seen.kinds, (order, seen)
            assert seen.kinds <= {form.kind} | form.also, (order, seen)


def test_the_corpus_is_complete() -> None:
    """Each kernel has inputs, a right form and a faulty one, and each fault says what a GPU shows of it."""
    assert {form.kernel for form in RIGHT} == {form.kernel for form in FAULTY} == set(PROGRAMS)
    for form in FORMS:
        assert form.header("Kernel"), form.name
        if form.kind is not None:
            assert form.header("Fault"), form.name
            assert form.signs, form.name
