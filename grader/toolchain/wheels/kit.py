"""What a wheel is built with: a toolkit's directory whose nvcc and c++ are ours, and what they need to know.

On `sim` they compile for the simulator.  On `cuda` they note the command and run the real compiler.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grader.toolchain.compiler import Compiler, host_compiler
from grader.toolchain.errors import EnvironmentFault
from grader.toolchain.runtime import Runtime
from grader.toolchain.torch_install import installed
from grader.toolchain.wheels import standin

PACKAGE = Path(__file__).parents[2]
_SETUPTOOLS = 71
"""The first whole version with a bdist_wheel of its own."""
_COPIED = ("__init__.py", "verdict.py", "toolchain")
"""What the stand-ins import: a confined process cannot list the package's own directory."""


@dataclass(frozen=True)
class Kit:
    """How wheels are built for a kind of device.  Plain data, made by the judge and used by a worker."""

    device: str
    compiler: str
    nvcc: str = ""
    """The real nvcc, on `cuda`."""
    cuda_home: str = ""
    runtime: dict[str, Any] | None = None
    """The simulator's runtime, on `sim`."""

    @staticmethod
    def find(device: str) -> Kit:
        """Return this machine's kit; raise `EnvironmentFault` if it has none."""
        _require_setuptools()
        if device == "cuda":
            from grader.toolchain import toolkit

            found = toolkit.find()
            return Kit(device, host_compiler().path, found.nvcc, toolkit.home())
        from grader.toolchain import runtime

        return Kit(device, host_compiler().path, runtime=_plain(runtime.ensure()))

    def to_json(self) -> dict[str, Any]:
        """Return the kit as plain data."""
        return asdict(self)

    def loaded_runtime(self) -> Runtime:
        """Return the simulator's runtime without looking for it."""
        assert self.runtime is not None
        data = dict(self.runtime)
        return Runtime(
            Path(data["directory"]),
            Path(data["headers"]),
            data["key"],
            installed(),
            Compiler(**data["compiler"]),
        )


def _require_setuptools() -> None:
    """Raise `EnvironmentFault` where setuptools cannot make wheels by itself."""
    try:
        found = version("setuptools")
    except PackageNotFoundError:
        found = "0"
    if int(found.split(".")[0]) < _SETUPTOOLS:
        raise EnvironmentFault(
            f"Building a package needs setuptools {_SETUPTOOLS} or later: pip install -U setuptools"
        )


def _plain(found: Runtime) -> dict[str, Any]:
    return {
        "directory": str(found.directory),
        "headers": str(found.headers),
        "key": found.key,
        "compiler": asdict(found.compiler),
    }


def write(kit: Kit, directory: Path) -> dict[str, str]:
    """Write the toolkit under `directory` and return the variables that lead PyTorch's build to it."""
    (directory / "bin").mkdir(parents=True)
    for name in ("include", "lib64"):
        _lead_to(Path(kit.cuda_home) / name if kit.cuda_home else None, directory / name)
    (directory / standin.SETTINGS).write_text(json.dumps(kit.to_json()))
    for tool in ("nvcc", "c++"):
        _write_tool(tool, directory)
    for name in _COPIED:
        source, target = PACKAGE / name, directory / "lib/grader" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    compiler, nvcc = str(directory / "bin/c++"), str(directory / "bin/nvcc")
    variables = {"CXX": compiler, "CC": compiler, "PYTORCH_NVCC": nvcc, "MAX_JOBS": str(os.cpu_count() or 2)}
    # Nothing is fetched, whatever a setup.py asks for.
    variables |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "SOURCE_DATE_EPOCH": "315619200"}
    if kit.device == "sim":
        # PyTorch asks the GPUs of the machine otherwise, and there are none.
        variables |= {"TORCH_CUDA_ARCH_LIST": "9.0"}
    return variables


def _lead_to(real: Path | None, path: Path) -> None:
    """Make a directory of the toolkit: the real one's where there is one."""
    if real is not None and real.is_dir():
        path.symlink_to(real)
    else:
        path.mkdir()


def _write_tool(tool: str, directory: Path) -> None:
    """Write a program that runs the stand-in.  It finds what this process finds, our own copy first."""
    program = directory / "lib/grader/toolchain/wheels/standin.py"
    paths = os.pathsep.join([str(directory / "lib"), *(path for path in sys.path if os.path.isdir(path))])
    path = directory / "bin" / tool
    path.write_text(
        "#!/bin/sh\n"
        f"export PYTHONPATH={shlex.quote(paths)} PYTHONDONTWRITEBYTECODE=1\n"
        f'exec {shlex.join([sys.executable, "-P", str(program), str(directory), tool])} "$@"\n'
    )
    path.chmod(0o755)


def spoken(directory: Path) -> str:
    """Call both tools, and return what is wrong with them: nothing where they answer."""
    for tool in ("c++", "nvcc"):
        ran = subprocess.run(
            [str(directory / "bin" / tool), "--version"], capture_output=True, text=True, check=False
        )
        if ran.returncode:
            return f"{tool} --version: {(ran.stderr or ran.stdout).strip()[-500:] or 'no message'}"
    return ""
