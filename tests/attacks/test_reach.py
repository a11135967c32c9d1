"""What lies outside a worker stays out of its reach."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.judge import Judge
from grader.judge.confinement import landlock, namespaces
from tests.attacks.attack import Attack, attacks
from tests.attacks.ground import Ground
from tests.attacks.reach import attempt

pytestmark = pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")
REACH = [pytest.param(attack, id=attack.name) for attack in attacks("reach")]
PATHS = ("landlock alone", "in namespaces")
MISTAKES = ("SyntaxError", "NameError", "TypeError", "AttributeError", "ImportError", "IndexError")
"""How an attack ends that was written wrongly, and so tried nothing."""


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    """Return what is attacked."""
    with Ground() as ground:
        yield ground


@pytest.fixture(scope="module", params=PATHS)
def confined(request: pytest.FixtureRequest, ground: Ground) -> Iterator[Judge]:
    """Return a judge that confines its workers in one of both ways; a secret is in its environment."""
    if request.param == "in namespaces" and not namespaces.available():
        pytest.skip("this machine allows no namespaces (grader doctor)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("A_SECRET", ground.token)
        if request.param == "landlock alone":
            patch.setattr(namespaces, "available", lambda: False)
        with Judge("sim", sandbox="best") as judge:
            yield judge


@pytest.fixture(scope="module")
def open_judge() -> Iterator[Judge]:
    """Return a judge that confines nothing."""
    with Judge("sim") as judge:
        yield judge


@pytest.mark.parametrize("attack", REACH)
def test_an_attack_gets_nothing(attack: Attack, confined: Judge, ground: Ground) -> None:
    """Nothing is read, changed, sent, left behind or ended, and no slip of the attack's own ends it."""
    got, seen = attempt(attack, confined, ground)
    assert not got, seen
    assert not seen.startswith(MISTAKES), seen


@pytest.mark.parametrize("attack", [one for one in REACH if "Works without" in one.values[0].fields])
def test_it_is_the_confinement_that_stops_it(attack: Attack, open_judge: Judge) -> None:
    """The same text gets what it wants in a worker that is not confined."""
    with Ground() as ground:
        assert attempt(attack, open_judge, ground)[0]
