"""Attacks on the verdict and on the build: whole answers, judged as in autograding, which must not pass."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace

from grader import exercises
from grader.judge import Answer, Judge, session
from grader.judge.session import PUBLIC_SEED
from grader.verdict import Outcome, Verdict
from tests.attacks.attack import Attack
from tests.attacks.ground import ROOT, Ground

SECRET_SEED = 0x5EC2E7_0000_0001
_BESIDE = ROOT / "tests/submissions/add_relu_function/right__backward_kernel.cu"
"""A right kernel, beside which attacks in Python stand."""


def exercise(attack: Attack) -> str:
    """Return the exercise that an attack pretends to answer."""
    return "add_relu" if attack.path.suffix == ".cu" else "add_relu_function"


def answer(attack: Attack, ground: Ground) -> Answer:
    """Return the answer that an attack hands in."""
    if attack.path.suffix == ".cu":
        return Answer(cuda=ground.filled_in(attack.text))
    text = attack.text.replace("@PUBLIC@", ", ".join(map(str, _public_values())))
    return Answer(cuda=_BESIDE.read_text(encoding="utf-8"), python=text)


def attempt(attack: Attack, judge: Judge, ground: Ground, whole: bool = True) -> tuple[list[str], str]:
    """Judge from the course's secret seed; return what the attack got, and what was seen of it.

    Unless `whole`, only the check that is to stop it is run.
    """
    before = ground.state()
    with contextlib.ExitStack() as stack:
        if attack.kind == "message":
            stack.enter_context(_unread())
        if not whole and "Fails" in attack.fields:
            stack.enter_context(_only(exercise(attack), {"build", attack.fields["Fails"]}))
        verdict = judge.judge(exercise(attack), answer(attack, ground), device="sim", seed=SECRET_SEED)
    got = _told(attack, verdict, ground) if attack.kind == "build" else _gained(attack, verdict)
    failed = [f"{check.name}: {check.message}" for check in verdict.checks if check.verdict is Outcome.FAILED]
    return got + ground.losses(before), (failed or [verdict.message])[0].split("\n")[0]


@contextlib.contextmanager
def _only(name: str, checks: set[str]) -> Iterator[None]:
    honest = exercises.get
    kept = tuple(check for check in honest(name).checks if check.name in checks)
    part = replace(honest(name), checks=kept, points=sum(check.points for check in kept))
    exercises.get = lambda wanted: part if wanted == name else honest(wanted)
    try:
        yield
    finally:
        exercises.get = honest


@contextlib.contextmanager
def _unread() -> Iterator[None]:
    """Leave Python unread: native code could send the same messages, and has no text to be read."""
    honest, session.tampering = session.tampering, lambda text: None
    try:
        yield
    finally:
        session.tampering = honest


def _told(attack: Attack, verdict: Verdict, ground: Ground) -> list[str]:
    """Return what an attack on the build got: points, an excuse, another message, or a secret."""
    said = json.dumps(verdict.to_json())
    got = [word for word in (ground.token, "root:x:", "reference=") if word in said]
    if verdict.score or verdict.verdict not in (Outcome.FAILED, Outcome.NEEDS_GPU):
        got.append(f"the verdict {verdict.verdict}: {verdict.message}")
    if not re.search(attack.fields["Told"], said):
        got.append(f"not told {attack.fields['Told']!r}, but {said[:300]}")
    return got


def _gained(attack: Attack, verdict: Verdict) -> list[str]:
    """Return what an attack got: a pass, a check that it should fail, or an excuse for having no mark."""
    failed = {check.name for check in verdict.checks if check.verdict is Outcome.FAILED}
    wanted = attack.fields["Fails"]
    if verdict.verdict is not Outcome.FAILED:
        return [f"the verdict {verdict.verdict}: {verdict.message}"]
    if not verdict.checks and verdict.score == 0:
        return []  # refused unrun
    if wanted not in failed:
        return [f"no failure of {wanted}, but of {sorted(failed)}"]
    if wanted in ("policy", "build") and verdict.score:
        return [f"{verdict.score:g} points"]
    return []


def _public_values() -> list[float]:
    """Return the first value of each case's first argument, as the public seed draws it."""
    from grader.exercise import Draw

    one = exercises.get("add_relu_function")
    cases = [case for case in one.cases if -1 not in case.shape]
    draws = [one.inputs(case, Draw(PUBLIC_SEED, one.id, case.name, label)) for case in cases
             for label in ("first", "second")]  # fmt: skip
    return [round(float(arguments[0].double().flatten()[0]), 4) for arguments in draws]
