"""What this machine can do for the judge: build, run on a GPU, confine answers."""

from __future__ import annotations

import os
from dataclasses import dataclass

from grader.judge import confinement
from grader.judge.faults import EnvironmentFault
from grader.judge.session import resolve_device


@dataclass(frozen=True)
class Ability:
    """One thing that the judge may need, and what to do where it is missing."""

    what: str
    present: bool
    advice: str
    needed: bool = False


def findings() -> tuple[Ability, ...]:
    """Return every ability, present or not."""
    layers = (
        Ability(f"answers kept from {one.stops}", one.present, one.advice) for one in confinement.layers()
    )
    return (_compiler(), _cache(), _gpu(), *layers)


def _compiler() -> Ability:
    from grader.toolchain.compiler import host_compiler

    try:
        return Ability(f"a C++ compiler: {host_compiler().version}", True, "", needed=True)
    except EnvironmentFault as fault:
        return Ability("a C++ compiler", False, str(fault), needed=True)


def _cache() -> Ability:
    from grader.toolchain import cache

    try:
        root = cache.root()
    except EnvironmentFault as fault:
        return Ability("a cache that can be written", False, str(fault), needed=True)
    advice = f"{root} cannot be written: set GRADER_CACHE to another directory"
    return Ability(f"a cache that can be written: {root}", os.access(root, os.W_OK), advice, needed=True)


def _gpu() -> Ability:
    advice = "without one, everything is judged on the simulator"
    return Ability("a GPU that PyTorch can use", resolve_device("auto") == "cuda", advice)
