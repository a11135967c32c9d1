"""The device, loaded once, and each test's reports read away."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.toolchain.compiler import host_compiler

HERE = Path(__file__).parent
SIMULATOR = HERE.parents[1] / "grader" / "simulator"
UNITS = ("engine", "race")
INSTRUMENTATION = [
    *("-O1", "-g1", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden"),
    *("-fsanitize=thread,bounds-strict", "--param", "tsan-instrument-func-entry-exit=0"),
    *("--param", "tsan-distinguish-volatile=1", "-fno-builtin-memcpy", "-fno-builtin-memset"),
    *("-fno-tree-vectorize", "-fno-omit-frame-pointer"),
    *("-fno-tree-sra", "-fno-ipa-sra", "-fno-tree-sink", "-fstack-clash-protection"),
]
WRAPPED = [f"-Wl,--wrap={name}" for name in ("memcpy", "memmove", "memset", "__assert_fail")]
STRICT = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]


def _compile(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def engine_driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the engine without torch as a library, and the kernels as the toolchain would."""
    compiler = host_compiler().path
    out = tmp_path_factory.mktemp("engine")
    engine = SIMULATOR / "csrc" / "engine"
    strict, include = [compiler, *STRICT], ["-I", str(SIMULATOR / "include")]
    jobs = [
        [*strict, "-O2", "-fPIC", "-c", str(source), "-o", str(out / f"{source.stem}.o")]
        for source in sorted(engine.glob("*.cpp"))
    ]
    for unit in UNITS:
        source = [str(HERE / f"{unit}_kernels.cpp"), "-o", str(out / f"{unit}.obj")]
        jobs.append([*strict, *INSTRUMENTATION, *include, "-c", *source])
    source = [str(HERE / "engine_driver.cpp"), "-o", str(out / "driver.obj")]
    jobs.append([*strict, "-I", str(engine), "-c", *source])
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(_compile, jobs))
    objects = [str(path) for path in sorted(out.glob("*.o"))]
    library, program = str(out / "libgrader_sim.so"), out / "driver"
    _compile([compiler, "-shared", "-Wl,-Bsymbolic", "-o", library, *objects, "-ldl", "-lrt"])
    linked = [str(out / "driver.obj"), library, f"-Wl,-rpath,{out}", "-ldl"]
    _compile([compiler, "-rdynamic", "-o", str(program), *linked])
    for unit in UNITS:
        made = ["-o", str(out / f"{unit}.so"), str(out / f"{unit}.obj")]
        _compile([compiler, "-shared", *made, *WRAPPED, library])
    return program


@pytest.fixture(scope="session")
def run_engine(engine_driver: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that runs one case of a unit and returns what the engine said."""

    def run(unit: str, case: str, order: str = "ascending", seed: int = 1) -> dict[str, Any]:
        command = [str(engine_driver), str(engine_driver.parent / f"{unit}.so"), case, order, str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        said: dict[str, Any]
        if done.returncode == -11:
            said = {"reports": json.loads(done.stdout), "crashed": True}
        else:
            assert done.returncode == 0, (done.returncode, done.stderr)
            said = json.loads(done.stdout)
        return said

    return run


@pytest.fixture(scope="session")
def _loaded() -> None:
    from grader import simulator

    simulator.load_runtime()


@pytest.fixture
def sim(_loaded: None) -> Iterator[ModuleType]:
    """The simulator, idle and with empty logs before and after the test."""
    import torch

    from grader import simulator

    def clear() -> None:
        for device in range(2):
            torch.accelerator.synchronize(device)
        torch.accelerator.set_device_index(0)
        simulator.reports()
        simulator.launch_log()
        simulator.dispatch_log()

    clear()
    yield simulator
    clear()


@pytest.fixture(scope="session")
def compiled(_loaded: None) -> Callable[..., ModuleType]:
    """Build and load CUDA source as a learner's unit; the same text is built once."""
    from grader.toolchain import BuildRequest, build, load

    modules: dict[str, ModuleType] = {}

    def make(cuda: str, **options: Any) -> ModuleType:
        if cuda not in modules:
            result = build(BuildRequest("unit", cuda, **options))
            assert result.ok, "\n".join(map(str, result.diagnostics))
            assert result.library
            modules[cuda] = load(result.library, "unit")
        return modules[cuda]

    return make
