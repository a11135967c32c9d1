"""Confined processes: what they tried, and that they got nothing."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.judge import Answer, EnvironmentFault, Judge, confinement
from grader.judge.confinement import Policy, confine, landlock, seccomp
from grader.judge.doctor import findings
from grader.verdict import Outcome

pytestmark = pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")
ROOT = Path(__file__).parents[3]
HEAD = """#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <sys/socket.h>
#include <netinet/in.h>
__global__ void k(const float* a, const float* b, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = fmaxf(a[i] + b[i], 0.f);
}
"""
TAIL = """
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(!attempt(), "it worked");
    TORCH_CHECK(a.is_cuda() && b.is_cuda() && a.sizes() == b.sizes(), "a and b must be alike");
    a = a.contiguous(); b = b.contiguous();
    auto o = torch::empty_like(a);
    int n = a.numel();
    k<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), o.data_ptr<float>(), n);
    return o;
}
"""


def in_child(policy: Policy, act: Callable[[], object]) -> str:
    """Return what a confined child says of an act: its result, or the error's name."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            confine(policy)
            said = repr(act())
        except BaseException as error:
            said = type(error).__name__
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    with os.fdopen(reader) as stream:
        return stream.read()


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (lambda: open("/etc/passwd").close(), "PermissionError"),
        (lambda: os.listdir("/etc"), "PermissionError"),
        (lambda: open(ROOT / "README.md").close(), "PermissionError"),
        (lambda: os.kill(os.getppid(), 0), "PermissionError"),
        (
            lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect(("127.0.0.1", 9)),
            "PermissionError",
        ),
        (lambda: os.path.exists("/usr/include"), "True"),
        (lambda: Path("/dev/null").write_text("x"), "1"),
    ],
)
def test_a_confined_process_reaches_only_what_was_granted(act: Callable[[], object], expected: str) -> None:
    """Files, directories, the network and other processes are out of reach; the system's own are not."""
    assert in_child(Policy(("/usr", "/lib", "/lib64"), ("/dev/null",)), act) == expected


def test_a_confined_process_changes_only_its_own_directory(tmp_path: Path) -> None:
    """It writes where it may, and not beside that, nor through a link."""
    mine, beside = tmp_path / "mine", tmp_path / "beside"
    mine.mkdir()
    beside.write_text("before")
    (mine / "link").symlink_to(beside)
    policy = Policy(("/usr",), (str(mine),))
    assert in_child(policy, lambda: (mine / "file").write_text("x")) == "1"
    assert in_child(policy, lambda: beside.write_text("x")) == "PermissionError"
    assert in_child(policy, lambda: (mine / "link").write_text("x")) == "PermissionError"
    assert in_child(policy, beside.unlink) == "PermissionError"
    assert beside.read_text() == "before"


@pytest.mark.skipif(not seccomp.is_available(), reason="libseccomp is not installed")
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK])
def test_no_socket_but_a_unix_one_can_be_made(family: int) -> None:
    """UDP and netlink are refused too, which Landlock does not know."""
    assert in_child(Policy((), ()), lambda: socket.socket(family, socket.SOCK_DGRAM)) == "PermissionError"
    assert in_child(Policy((), ()), lambda: socket.socket(socket.AF_UNIX).family) == repr(socket.AF_UNIX)


@pytest.mark.skipif(not seccomp.is_available(), reason="libseccomp is not installed")
def test_other_processes_cannot_be_traced() -> None:
    """ptrace fails, so no other worker's memory can be read."""
    attach = 16
    traced = in_child(Policy((), ()), lambda: ctypes.CDLL(None).ptrace(attach, os.getppid(), 0, 0))
    assert traced == "-1"


@pytest.fixture(scope="module")
def confined() -> Iterator[Judge]:
    """Return a judge whose answers are confined as far as this machine can."""
    with Judge("sim", sandbox="best") as judge:
        yield judge


ATTEMPTS = {
    "read the password file": 'return fopen("/etc/passwd", "r") != nullptr;',
    "read the exercise": f'return fopen("{ROOT}/grader/exercises/add_relu.py", "r") != nullptr;',
    "read a lesson with answers": f'return fopen("{ROOT}/solutions/02_load_inline.md", "r") != nullptr;',
    "write beside the answer": f'return fopen("{ROOT}/tests/left_behind", "w") != nullptr;',
    "write to the shared temporary directory": 'return fopen("/tmp/left_behind", "w") != nullptr;',
    "kill the parent": "return kill(getppid(), 0) == 0;",
    "open a socket": "return socket(AF_INET, SOCK_DGRAM, 0) >= 0;",
    "run a shell that reads": 'return system("cat /etc/passwd > /dev/null 2>&1") == 0;',
}


@pytest.mark.parametrize("what", ATTEMPTS)
def test_an_answer_gets_at_nothing(confined: Judge, what: str) -> None:
    """The attempt fails, and the rest of the answer is judged as ever."""
    source = HEAD + "#include <signal.h>\nstatic bool attempt() { " + ATTEMPTS[what] + " }\n" + TAIL
    verdict = confined.judge("add_relu", Answer(cuda=source), device="sim")
    assert verdict.verdict is Outcome.PASSED, verdict


def test_the_same_attempt_works_without_confinement() -> None:
    """The attempts above can fail only because of the confinement."""
    source = HEAD + 'static bool attempt() { return fopen("/etc/passwd", "r") != nullptr; }\n' + TAIL
    with Judge("sim") as judge:
        verdict = judge.judge("add_relu", Answer(cuda=source), device="sim")
    assert "it worked" in verdict.checks[1].message


@pytest.mark.parametrize(
    "line",
    ['#include "/etc/passwd"', f'#include "{ROOT}/README.md"', 'asm(".incbin \\"/etc/passwd\\"");'],
)
def test_the_compiler_reads_nothing_for_an_answer(confined: Judge, line: str) -> None:
    """What a build may not read is an error of the build, and none of its text is shown."""
    source = HEAD + line + "\nstatic bool attempt() { return false; }\n" + TAIL
    verdict = confined.judge("add_relu", Answer(cuda=source), device="sim")
    assert verdict.verdict in (Outcome.FAILED, Outcome.NEEDS_GPU)
    assert verdict.score == 0
    assert "root:" not in str(verdict)


def test_nothing_survives_the_worker(confined: Judge) -> None:
    """A process that leaves the worker's session and group is ended with it."""
    mark = f"{os.getpid()}.987"
    sleep = f'execlp("sleep", "sleep", "{mark}", nullptr);'
    attempt = f"if (fork() == 0) {{ setsid(); if (fork() == 0) {sleep} _exit(0); }}"
    source = HEAD + "static bool attempt() { " + attempt + " return false; }\n" + TAIL
    confined.judge("add_relu", Answer(cuda=source), device="sim")
    time.sleep(0.2)
    assert (
        mark not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    )


def test_less_than_was_asked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Landlock nothing starts that asked for confinement, and the message names the next step."""
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    with pytest.raises(EnvironmentFault, match="Landlock.*--sandbox none"):
        Judge(sandbox="best")
    assert Judge(sandbox="none").confined is False


def test_an_unknown_level_is_refused() -> None:
    """A typing error must not mean no confinement."""
    with pytest.raises(EnvironmentFault, match="none, best, full"):
        confinement.resolve("ful")


def test_the_doctor_names_every_layer() -> None:
    """`grader doctor` says of each layer whether it is there, and what to do where it is not."""
    said = {one.what for one in findings()}
    assert {f"answers kept from {layer.stops}" for layer in confinement.layers()} <= said
    assert all(one.advice for one in findings() if not one.present)


def test_the_launcher_confines_before_it_runs(tmp_path: Path) -> None:
    """`python -m grader.judge.confinement` runs a module that then cannot read what was not granted."""
    policy = Policy((sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64"), ())
    command = [sys.executable, "-m", "grader.judge.confinement", json.dumps(policy.to_json())]
    ran = subprocess.run([*command, "this"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "Zen of Python" in ran.stdout, ran.stderr
