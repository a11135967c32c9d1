"""Wrong answers and hostile builds get no marks, no secrets and no excuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.judge import Judge
from grader.judge.confinement import landlock
from tests.attacks.attack import Attack, attacks
from tests.attacks.ground import Ground
from tests.attacks.judged import attempt

pytestmark = pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    """Return what is attacked."""
    with Ground() as ground:
        yield ground


@pytest.fixture(scope="module")
def confined(ground: Ground) -> Iterator[Judge]:
    """Return a judge as autograding has it; a secret is in its environment, compilers give up soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("A_SECRET", ground.token)
        patch.setenv("GRADER_COMPILE_SECONDS", "8")
        with Judge("sim", sandbox="best") as judge:
            yield judge


@pytest.mark.parametrize(
    "attack", [pytest.param(one, id=one.name) for one in attacks("build", "cheat", "message")]
)
def test_an_attack_gets_nothing(attack: Attack, confined: Judge, ground: Ground) -> None:
    """It fails, in the check that its head names, with nothing read, changed or left behind."""
    got, seen = attempt(attack, confined, ground, whole=False)
    assert not got, seen
