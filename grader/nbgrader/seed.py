"""The course's secret seed: inputs that a learner cannot know beforehand, the same at every regrade."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from grader.nbgrader.errors import UngradedError

SEED_FILE = "secret_seed"
"""Name of the file in the course directory; it is in neither source/ nor release/."""


def write_seed(path: Path) -> None:
    """Make the seed file, readable by its owner only; an existing one is kept."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")


def secret_seed(path: str, exercise: str) -> int:
    """Return the secret seed of an exercise, 62 bits derived from the course's seed.

    Raises `UngradedError` when there is no seed: grading with the public one would be worth less than none.
    """
    remedy = "Run `grader quickstart` on the course directory; it makes the file and changes nothing else."
    try:
        secret = Path(path).read_text(encoding="ascii").strip() if path else ""
    except OSError as error:
        raise UngradedError(f"The secret seed {path} cannot be read ({error.strerror}). {remedy}") from None
    if len(secret) < 16:
        raise UngradedError(f"The secret seed file {path or '(none)'} holds no seed. {remedy}")
    return int.from_bytes(hashlib.sha256(f"{secret}:{exercise}".encode()).digest()[:8], "big") >> 2
