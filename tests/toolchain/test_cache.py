"""Built things are shared, bounded, and never half there."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.toolchain import (
    BuildRequest,
    BuildResult,
    EnvironmentFault,
    build,
    building,
    cache,
    compiler,
    memory,
    runtime,
    toolkit,
    torch_install,
)
from grader.toolchain.locks import locked

SOURCE = "#include <torch/extension.h>\nint64_t answer() { return %d; }\n"


def _count_builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    own = building._make

    def counted(plan: object, place: Path) -> BuildResult:
        made.append(place.name)
        return own(plan, place)  # type: ignore[arg-type]

    monkeypatch.setattr(building, "_make", counted)
    return made


def test_the_same_source_is_built_once(
    built: Callable[..., BuildResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second build of a source is found, another source or another first line is not."""
    made = _count_builds(monkeypatch)
    source = SOURCE % time.time_ns()
    first, second = built(source), built(source)
    assert (first.cached, second.cached) == (False, True)
    assert first.library == second.library
    assert not built(source, first_line=5).cached
    assert len(made) == 2


def test_another_build_of_pytorch_has_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """B06, B07, B09: version with its suffix, place and C++ standard of PyTorch are part of every name."""
    here = torch_install.installed()
    others = [replace(here, version=here.version + "1"), replace(here, standard="c++99")]
    names = []
    for one in (here, *others):
        monkeypatch.setattr(runtime, "installed", lambda one=one: one)
        monkeypatch.setattr(toolkit, "installed", lambda one=one: one)
        names.append((runtime._base.__wrapped__(), tuple(toolkit.environment())))
    assert len({base for base, _ in names}) == 3
    assert names[0][1] != names[1][1]


def test_errors_are_kept_too(built: Callable[..., BuildResult]) -> None:
    """A source that does not compile is told the same again without a compiler."""
    source = f"int64_t wrong() {{ return nothing_{time.time_ns()}; }}"
    first, second = built(source), built(source)
    assert not first.ok
    assert second.cached
    assert first.diagnostics == second.diagnostics


def test_kept_errors_are_told_anew_when_telling_changes(
    built: Callable[..., BuildResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of what turns a compiler's output into errors does not repeat the old one's words."""
    source = f"int64_t wrong() {{ return nothing_{time.time_ns()}; }}"
    right = SOURCE % time.time_ns()
    assert not built(source).ok
    assert built(right).ok
    monkeypatch.setattr(building, "_telling", lambda: "another")
    assert not built(source).cached
    assert built(source).cached
    assert built(right).cached


def test_a_runtime_that_vanishes_is_no_compile_error(
    built: Callable[..., BuildResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When files of the runtime go while a source is compiled, its error is the machine's and is not kept."""
    source = f"int64_t wrong() {{ return nothing_{time.time_ns()}; }}"
    with monkeypatch.context() as gone:
        gone.setattr(runtime.Runtime, "is_whole", False)
        with pytest.raises(EnvironmentFault, match="Try again"):
            built(source)
    assert not built(source).cached


@pytest.mark.parametrize("device", ["sim", "cuda"])
def test_a_huge_source_is_refused_unread(device: str) -> None:
    """Megabytes of comments cost no compiler's time, and the learner reads how much is allowed."""
    began = time.monotonic()
    result = build(BuildRequest("kernels", "// nothing\n" * 5_000_000, device=device))
    assert not result.ok
    assert "the source has 55.0 MB; at most 1.0 MB are compiled" in result.diagnostics[0].message
    assert time.monotonic() - began < 5


def test_old_runtimes_go_but_none_that_may_be_in_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of many runtimes those used last stay, and those used a moment ago: a process may be about to link."""
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    ages = {
        f"runtime-{name}": age
        for name, age in (("a", 9000), ("b", 8000), ("c", 7), ("d", 6), ("e", 5), ("f", 4))
    }
    for name, age in ages.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "complete").touch()
        os.utime(tmp_path / name / "complete", (time.time() - age,) * 2)
    runtime._forget_old()
    assert {path.name for path in tmp_path.glob("runtime-*")} == {f"runtime-{name}" for name in "cdef"}


def test_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    """A lock dies with the process that held it."""
    path = tmp_path / "lock"
    program = (
        "import sys, time; from pathlib import Path; from grader.toolchain.locks import locked\n"
        "with locked(Path(sys.argv[1])):\n  print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    waited: list[bool] = []

    def end_holder() -> None:
        waited.append(True)
        holder.kill()

    with locked(path, end_holder):
        assert waited == [True]
    holder.communicate()


def _hold(path: Path, order: multiprocessing.Queue[str], name: str) -> None:
    with locked(path):
        order.put(f"{name} in")
        time.sleep(0.2)
        order.put(f"{name} out")


def test_one_at_a_time(tmp_path: Path) -> None:
    """Two processes never hold one lock together."""
    context = multiprocessing.get_context("fork")
    order: multiprocessing.Queue[str] = context.Queue()
    processes = [context.Process(target=_hold, args=(tmp_path / "lock", order, name)) for name in "ab"]
    for process in processes:
        process.start()
    said = [order.get(timeout=20) for _ in range(4)]
    for process in processes:
        process.join()
    assert [words.split()[1] for words in said] == ["in", "out", "in", "out"]


def test_prune_removes_what_was_used_longest_ago(tmp_path: Path) -> None:
    """The newest entries that fit stay; a killed build's leavings go after an hour."""
    for age, name in (
        (30, "old"),
        (20, "middle"),
        (10, "new"),
        (7200, ".building-dead"),
        (0, ".building-live"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "module.so").write_bytes(b"x" * 100)
        os.utime(tmp_path / name, (time.time() - age, time.time() - age))
    cache.prune(tmp_path, limit=350)
    assert {path.name for path in tmp_path.iterdir()} == {"new", "middle", ".building-live"}


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "is full"), (errno.EACCES, "Cannot write"), (errno.EROFS, "Cannot write")],
)
def test_a_disks_refusal_names_the_next_step(number: int, words: str, tmp_path: Path) -> None:
    """A full or forbidden disk is the machine's fault, and the message says what to do."""
    with pytest.raises(EnvironmentFault, match=words) as caught, cache.writing(tmp_path):
        raise OSError(number, os.strerror(number))
    assert "GRADER_CACHE" in str(caught.value)


def test_a_cache_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache below a file is refused with a clear message."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "file/cache"))
    with pytest.raises(EnvironmentFault, match="Cannot write to the cache"):
        cache.root()


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a compiler is told what to install."""
    monkeypatch.setenv("CXX", "no-such-compiler")
    compiler.host_compiler.cache_clear()
    try:
        with pytest.raises(EnvironmentFault, match=r"no-such-compiler is not on PATH.*apt install g\+\+"):
            compiler.host_compiler()
    finally:
        compiler.host_compiler.cache_clear()


def test_a_compilation_has_a_time_limit() -> None:
    """A command past its limit is killed with its children."""
    started = time.monotonic()
    ran = compiler.run(["/bin/sh", "-c", "sleep 60 & sleep 60"], seconds=0.3)
    assert ran.timed_out
    assert ran.status == -signal.SIGKILL
    assert time.monotonic() - started < 10


def test_output_is_bounded() -> None:
    """A compiler that prints for ever fills no memory."""
    ran = compiler.run(["/bin/sh", "-c", "yes | head -c 5000000"], seconds=30)
    assert len(ran.output) == 1 << 20


def test_a_compiler_has_limits_of_its_own() -> None:
    """Time to compute, memory and file size are bounded by any /bin/sh, dash included."""
    ran = compiler.run(
        ["/bin/sh", "-c", "ulimit -S -t; ulimit -v; ulimit -f; ulimit -c"], seconds=5, cpu_seconds=7
    )
    assert ran.output.split() == ["7", str(memory.compiler_bytes() >> 10), str(4 << 20), "0"]


def test_endless_computing_ends_as_overtime(tmp_path: Path) -> None:
    """A compilation that never ends is stopped by what it computes, and is told from a lack of memory."""
    endless = tmp_path / "endless.cpp"
    endless.write_text("constexpr int f(int n) { for (;;) n ^= 1; return n; }\nconstexpr int x = f(1);\n")
    flags = ["-std=c++17", "-fconstexpr-loop-limit=2147483647", "-fconstexpr-ops-limit=2147483647000"]
    command = [compiler.host_compiler().path, *flags, "-c", str(endless), "-o", str(tmp_path / "x.o")]
    ran = compiler.run(command, seconds=60, cpu_seconds=1)
    assert ran.status
    assert not ran.timed_out
    assert building._OVERTIME.search(ran.output), ran.output


def test_a_full_disk_for_temporary_files_does_not_silence_the_compiler(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What a command says arrives although no temporary file can be made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert compiler.run(["/bin/sh", "-c", "echo said; exit 1"], seconds=5).output == "said\n"
