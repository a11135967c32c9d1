"""Keeping answers to their own: which layers this machine can give, and putting them on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.judge.confinement import capabilities, landlock, namespaces, seccomp
from grader.judge.confinement.policy import Policy, for_build, for_worker
from grader.judge.faults import EnvironmentFault

__all__ = ["LEVELS", "Layer", "Policy", "confine", "for_build", "for_worker", "layers", "resolve", "seal"]

LEVELS = ("none", "best", "full")
"""`best` takes what there is, and at least Landlock; `full` refuses to start where a layer is missing."""


@dataclass(frozen=True)
class Layer:
    """One layer of confinement on this machine."""

    name: str
    stops: str
    present: bool
    advice: str


def layers() -> tuple[Layer, ...]:
    """Return every layer, present or not, with what to do about a missing one."""
    version = landlock.abi()
    kernel = "Linux {} or newer with Landlock enabled (lsm=landlock,...)"
    return (
        Layer("files", "reading or changing files of others", version >= 1, kernel.format("5.13")),
        Layer("tcp", "TCP connections", version >= landlock.NETWORK_ABI, kernel.format("6.7")),
        Layer("signals", "signals to other processes", version >= landlock.SCOPE_ABI, kernel.format("6.12")),
        Layer("sockets", "every other socket, processes, ptrace, mounts, io_uring", seccomp.is_available(),
              "pip install pyseccomp, and libseccomp2 from the distribution"),
        Layer("namespaces", "seeing other processes and files at all", namespaces.available(),
              namespaces.ADVICE),
    )  # fmt: skip


def resolve(level: str) -> bool:
    """Return whether to confine; raise `EnvironmentFault` where this machine has less than was asked."""
    if level not in LEVELS:
        raise EnvironmentFault(f"sandbox {level!r} is unknown: choose one of {', '.join(LEVELS)}.")
    if level == "none":
        return False
    missing = [layer for layer in layers() if not layer.present]
    lacking = missing if level == "full" else [layer for layer in missing if layer.name == "files"]
    if lacking:
        first = lacking[0]
        raise EnvironmentFault(
            f"This machine cannot keep answers from {first.stops}: {first.advice}. "
            "Or say --sandbox none (in nbgrader_config.py: c.JudgeAnswers.sandbox = 'none'), if every answer "
            "is to be trusted."
        )
    return True


def confine(policy: Policy) -> None:
    """Give up, for this process and all that it starts, whatever the policy does not grant.

    Landlock first: it needs to open paths.  Raises `OSError` if a layer that is there cannot be put on.
    """
    landlock.restrict(map(Path, policy.read), map(Path, policy.write))
    capabilities.drop()
    if seccomp.is_available():
        seccomp.restrict()


def seal(kind: str) -> None:
    """Give up what only this confined worker's own start needed: other processes and programs among it.

    `kind` is that of the device.
    """
    if seccomp.is_available():
        seccomp.seal(keeps_shared_memory=kind == "cuda")
