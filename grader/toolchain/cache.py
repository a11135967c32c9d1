"""Where built things live: content-addressed, bounded, shared by all sessions of a user."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.toolchain.errors import EnvironmentFault

MODULES_BYTES = 200 << 20
"""How much the modules may take before those that were used longest ago go."""

_ABANDONED_SECONDS = 3600.0


def root() -> Path:
    """Return the cache's directory, made if need be: `$GRADER_CACHE`, else `grader` in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(os.environ.get("GRADER_CACHE") or Path(base) / "grader")
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    return path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what a disk can refuse into an `EnvironmentFault` with the next step."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise EnvironmentFault(
                f"The disk that holds {path} is full. Free some space (a first build needs 600 MB), "
                "or set GRADER_CACHE to a directory on another disk."
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            raise EnvironmentFault(
                f"Cannot write to the cache {path}: {error.strerror}. "
                "Set GRADER_CACHE to a directory that you may write to."
            ) from error
        raise


def key(parts: Iterable[str | bytes]) -> str:
    """Return a name for everything that decides a result."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]


def lock_path(name: str) -> Path:
    """Return the lock file of a key.  Keys share 4096 files, so that they never need removing."""
    locks = root() / "locks"
    locks.mkdir(exist_ok=True)
    return locks / f"{hashlib.sha256(name.encode()).hexdigest()[:3]}.lock"


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Give a directory of one's own, gone afterwards unless it was renamed."""
    parent.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix=".building-", dir=parent))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def publish(built: Path, place: Path) -> None:
    """Move a finished directory into its place at once."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(place)
    built.rename(place)


def used(path: Path) -> None:
    """Remember that `path` was used now."""
    with contextlib.suppress(OSError):
        os.utime(path)


def prune(directory: Path, limit: int = MODULES_BYTES) -> None:
    """Remove what was used longest ago until `directory` fits the limit, and what killed builds left."""
    entries = sorted(_entries(directory), key=lambda entry: entry[0], reverse=True)
    total = 0
    for used_at, path in entries:
        total += _bytes(path)
        abandoned = path.name.startswith(".building-") and time.time() - used_at > _ABANDONED_SECONDS
        if abandoned or (total > limit and not path.name.startswith(".building-")):
            shutil.rmtree(path, ignore_errors=True)


def prune_files(directory: Path, limit: int) -> None:
    """Remove the files of `directory` that are oldest until it fits the limit."""
    total = 0
    for _, path in sorted(_entries(directory), key=lambda entry: entry[0], reverse=True):
        with contextlib.suppress(OSError):
            total += path.stat().st_size
            if total > limit:
                path.unlink()


def _entries(directory: Path) -> Iterator[tuple[float, Path]]:
    for path in directory.iterdir():
        with contextlib.suppress(OSError):
            yield path.stat().st_mtime, path


def _bytes(directory: Path) -> int:
    total = 0
    with contextlib.suppress(OSError):
        total = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    return total
