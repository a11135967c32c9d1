"""The ground that is attacked: things that must stay as they are, and what was got of them."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import socket
import sqlite3
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.toolchain import cache

ROOT = Path(__file__).parents[2]


class Ground:
    """A course, a secret, services and a mark to know processes by.  A context manager."""

    def __init__(self) -> None:
        """Lay it out in a directory of its own."""
        self.token = secrets.token_hex(12)
        self.mark = f"{secrets.randbelow(9000) + 1000}.{os.getpid()}"
        self.folder = Path(tempfile.mkdtemp(prefix="grader-ground-"))
        self.course = self.folder / "course"
        self.secret = self.folder / "secret"
        self._lay_out()
        self._services = list(self._serve())

    def _lay_out(self) -> None:
        answer = self.course / "submitted/ada/answer.cu"
        answer.parent.mkdir(parents=True)
        for path in (self.secret, answer, self.course / ".grader_seed"):
            path.write_text(self.token)
        with sqlite3.connect(self.course / "gradebook.db") as book:
            book.execute("create table grade (student text, auto_score real)")
            book.execute("insert into grade values ('eve', 0)")
        book.close()

    def _serve(self) -> Iterator[socket.socket]:
        """Yield services by TCP, UDP, a socket with a name and an abstract one."""
        tcp = socket.create_server(("127.0.0.1", 0))
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        named, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        named.bind(str(self.folder / "service"))
        abstract.bind(f"\0grader-{self.mark}")
        for one in (named, abstract):
            one.listen()
        for one in (tcp, udp, named, abstract):
            one.settimeout(0)
            yield one

    def filled_in(self, text: str) -> str:
        """Return an attack's text with what it aims at."""
        tcp, udp = (self._services[n].getsockname()[1] for n in (0, 1))
        aims = {
            "SECRET": self.secret, "TOKEN": self.token, "COURSE": self.course, "ROOT": ROOT,
            "HOME": Path.home(), "CACHE": cache.root(), "JUDGE": os.getpid(), "MARK": self.mark,
            "TCP": tcp, "UDP": udp, "UNIX": self.folder / "service", "ABSTRACT": f"grader-{self.mark}",
        }  # fmt: skip
        for name, value in aims.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def state(self) -> dict[str, str]:
        """Return what must be the same before and after: the course, the judge's own limits, leavings."""
        state = {str(path): _fingerprint(path) for path in (self.secret, *self.course.rglob("*"))}
        state["segments of shared memory"] = _said(["ipcs", "-m"])
        state["files of the temporary directories"] = str(sorted(self._marked_files()))
        state["descriptors of the judge"] = str(os.sysconf("SC_OPEN_MAX"))
        return state

    def losses(self, before: dict[str, str]) -> list[str]:
        """Return what an attack got or changed since `before`, and what it left running."""
        after = self.state()
        found = [f"{name} changed" for name in before if after.get(name) != before[name]]
        found += [f"{name} is new" for name in after if name not in before]
        found += [f"process {line}" for line in _processes() if self.mark in line]
        return found + [f"a message arrived at service {n}" for n in self._asked()]

    def _asked(self) -> Iterator[int]:
        for number, service in enumerate(self._services):
            try:
                if service.type == socket.SOCK_DGRAM:
                    service.recv(1)
                else:
                    service.accept()[0].close()
            except BlockingIOError:
                continue
            yield number

    def _marked_files(self) -> list[str]:
        folders = ("/tmp", "/var/tmp", "/dev/shm")
        return [f"{folder}/{name}" for folder in folders for name in _listed(folder) if self.mark in name]

    def __enter__(self) -> Ground:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove everything."""
        for service in self._services:
            service.close()
        shutil.rmtree(self.folder)


def _fingerprint(path: Path) -> str:
    about = path.stat()
    inside = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(about.st_mode) else ""
    return f"{about.st_mode:o} {about.st_uid} {about.st_mtime_ns} {os.listxattr(path)} {inside}"


def _listed(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def _processes() -> list[str]:
    return _said(["ps", "-eo", "pid,stat,args"]).splitlines()


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
