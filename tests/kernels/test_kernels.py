"""Well-known kernels on the simulator: right forms are right and silent, each fault is called by its name."""

from __future__ import annotations

import pytest

from grader.toolchain.runtime import ensure
from tests.kernels.corpus import ROOT, Form, forms, surprise
from tests.kernels.execution import ORDERS, built, observe
from tests.kernels.programs import PROGRAMS

FORMS = forms()
RIGHT = [form for form in FORMS if form.kind is None]
FAULTY = [form for form in FORMS if form.kind is not None]


@pytest.fixture(scope="module", autouse=True)
def _runtime() -> None:
    ensure()


def _surprise(form: Form) -> str:
    result = built(form, "sim")
    assert result.ok, result.output
    assert result.library
    if form.kind is None:
        seen = observe(form, result.library, "sim", ORDERS)
    else:
        # A fault may be the end of the device, so each order has a process.
        seen = [observe(form, result.library, "sim", (order,))[0] for order in ORDERS]
    assert len(seen) == len(ORDERS)
    return surprise(form, [(one.kinds, one.values, one.error) for one in seen])


@pytest.mark.parametrize("form", RIGHT, ids=lambda form: form.name)
def test_a_right_kernel_is_right_and_silent(form: Form) -> None:
    """In each order of blocks and threads the values are right, and nothing is reported."""
    assert not _surprise(form)


@pytest.mark.parametrize("form", FAULTY, ids=lambda form: form.name)
def test_a_fault_is_reported_as_its_kind(form: Form) -> None:
    """In each order that ends the report is there, and none that the fault does not bring about."""
    assert not _surprise(form)


def test_the_corpus_is_complete() -> None:
    """Each kernel has inputs, a right form and a faulty one, and each fault says what a GPU shows of it."""
    assert {form.kernel for form in RIGHT} == {form.kernel for form in FAULTY} == set(PROGRAMS)
    assert len(RIGHT) >= 30
    for form in FORMS:
        assert form.header("Kernel"), form.name
        if form.kind is not None:
            assert form.header("Fault"), form.name
            assert form.signs, form.name


@pytest.mark.parametrize(
    ("kind", "kinds", "values", "error", "words"),
    [
        ("right", (), "right", "", ""),
        ("right", (), "wrong", "", "wrong"),
        ("right", ("leak",), "right", "", "leak"),
        ("data_race__x", ("data_race", "same_value_write"), "right", "", ""),
        ("data_race__x", (), "wrong", "", "no data_race, but: nothing"),
        ("data_race__x", ("data_race", "misaligned"), "none", "", "reported besides: misaligned"),
        ("data_race__x", (), "none", "the process died", "no data_race, but: nothing the process died"),
        ("values__x", (), "wrong", "", ""),
        ("values__x", (), "right", "", "right"),
        ("values__x", ("data_race",), "wrong", "", "data_race"),
    ],
)
def test_a_surprise_is_said(kind: str, kinds: tuple[str, ...], values: str, error: str, words: str) -> None:
    """What a run must show is told from what it must not, for each sort of form."""
    form = Form(ROOT / f"reduce_shuffle/{kind}.cu") if kind == "right" else _Named(kind)
    said = surprise(form, [(kinds, values, error)] * 3)
    assert bool(said) == bool(words)
    assert words in said


class _Named(Form):
    """A form of a name alone."""

    def __init__(self, stem: str) -> None:
        super().__init__(ROOT / f"none/{stem}.cu")

    @property
    def source(self) -> str:
        """No text, so no header."""
        return ""
