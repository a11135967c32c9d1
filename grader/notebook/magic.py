"""The cell magics.

`%%cuda` remembers the answer, builds it beside the kernel and binds its functions; `%%package` keeps a file.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.notebook import card, operators, reports
from grader.notebook.answers import Marker, is_stub, marker, python_stub
from grader.notebook.building import BuildUnavailableError, Built, build
from grader.notebook.checking import refuse
from grader.notebook.declarations import Declared, find
from grader.notebook.display import progress, show
from grader.notebook.session import SESSION, shell
from grader.toolchain import registration

SCRATCH = "scratch"
"""Names the module of a bare `%%cuda` cell."""

_OURS = frozenset({"check", "hint", "device", "load_inline"})


def cuda(line: str, cell: str) -> None:
    """Build a cell of CUDA C++ and bind its host functions under their own names.

    `line` is the exercise that the cell answers, or empty for a scratch cell.  Nothing of the cell runs
    until one of its functions is called.
    """
    from grader.judge.session import resolve_device

    exercise = line.strip()
    name = _declared_id(exercise) if exercise else SCRATCH
    if exercise:
        SESSION.cuda[name] = cell
        if is_stub(name, cell):
            untouched(name)
            return
    try:
        with progress(f"Building {name} …") as say:
            built = build(name, cell, resolve_device("auto"), say)
            say(_outcome(name, built))
    except BuildUnavailableError as error:
        text = f"{name} could not be built, which is not its fault.\n{error}"
        show(card.note_card(f"{name} could not be built", text), text)
        return
    if built.library is None:
        show(card.compiler_card(name, built.problems), card.compiler_text(name, built.problems))
        return
    if exercise:
        SESSION.judge().start()
    bind(name, built.library, built.functions)
    if registration.is_named(cell):
        _register(name)


def package(line: str, cell: str) -> None:
    """Keep a cell as a file of a package, and write it below a folder of the exercise's name.

    `line` is the exercise and the file's path in the package.  Nothing of it runs until a wheel is built.
    """
    found = marker(f"%%package {line}")
    if found is None:
        refuse(f"%%package {line}: say the exercise and the file, as in `%%package ship_it setup.py`")
    declared = _declared(found.exercise, f"%%package {line}")
    files = [kind for kind in declared.kinds if Marker(kind, declared.id).is_file]
    if found.kind not in files:
        told = (
            f"the files of {declared.id} are {', '.join(files)}" if files else f"{declared.id} is no package"
        )
        refuse(f"%%package {line}: {told}")
    SESSION.files.setdefault(found.exercise, {})[found.kind] = cell
    if is_stub(found.exercise, cell):
        untouched(found.exercise)
        return
    path = Path(found.exercise) / found.kind
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(cell, encoding="utf-8")
    show(card.note_card(f"{found.kind} kept", f"Written to {path}."), f"{found.kind}: written to {path}.")


class LazyModule(types.ModuleType):
    """A built extension module that is loaded when one of its functions is first used."""

    def __init__(self, name: str, library: Path, functions: tuple[str, ...]) -> None:
        """Stand for the module in `library`."""
        super().__init__(name, "Functions of a %%cuda cell.")
        self.__dict__.update(_library=library, _functions=functions, _loaded=None)

    def __getattr__(self, name: str) -> Any:
        """Load the library for one of its functions."""
        if name not in self._functions:
            known = ", ".join(self._functions) or "none"
            raise AttributeError(f"the %%cuda cell has no function {name!r}; it has: {known}")
        return getattr(self._module(), name)

    def _module(self) -> types.ModuleType:
        """Return the loaded library."""
        if self._loaded is None:
            from grader import toolchain

            self.__dict__["_loaded"] = toolchain.load(self._library, self.__name__)
        loaded: types.ModuleType = self._loaded
        return loaded

    def __dir__(self) -> list[str]:
        """Name the functions, for completion."""
        return [*super().__dir__(), *self._functions]


def bind(name: str, library: Path, functions: tuple[str, ...]) -> None:
    """Bind the module as `kernels`, also for `import kernels`, and each function under its own name."""
    module = LazyModule(name, library, functions)
    sys.modules["kernels"] = module
    running = shell()
    if running is not None:
        names: dict[str, Any] = {function: _caller(module, function) for function in functions}
        running.push({"kernels": module} | {key: value for key, value in names.items() if key not in _OURS})


def _register(name: str) -> None:
    """Load the bound module at once: an operator is called through torch.ops, which knows of no module."""
    module = sys.modules["kernels"]
    assert isinstance(module, LazyModule)
    try:
        module._module()
    except RuntimeError as error:
        show(card.note_card(f"{name} could not be registered", str(error)), str(error))


def register(running: Any) -> None:
    """Make `%%cuda` known to an IPython shell.

    Untouched Python answers do not raise there, what the simulator sees is told below each cell, and a cell
    that registers something for an operator can be run again.
    """
    reports.register(running)
    operators.register(running)
    running.register_magic_function(cuda, magic_kind="cell", magic_name="cuda")
    running.register_magic_function(package, magic_kind="cell", magic_name="package")
    if skip_untouched not in running.input_transformers_cleanup:
        running.input_transformers_cleanup.append(skip_untouched)


def skip_untouched(lines: list[str]) -> list[str]:
    """Return a cell's lines; an untouched Python answer becomes a note, so that running all cells goes on."""
    source = "".join(lines)
    found = marker(source)
    if found and found.kind == "python" and python_stub(found.exercise)[1] in source.split("\n"):
        return [f"__import__('grader.notebook.magic').notebook.magic.untouched({found.exercise!r})\n"]
    return lines


def untouched(exercise: str) -> None:
    """Say that an answer cell is as it was released."""
    text = f"{exercise}: not attempted yet. Write your answer at YOUR CODE HERE, then run the cell."
    show(card.note_card(f"{exercise}: not attempted yet", text), text)


def _caller(module: LazyModule, name: str) -> Callable[..., Any]:
    """Return a function that loads the module when it is first called."""

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(module, name)(*arguments, **named)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{name} of the %%cuda cell {module.__name__}."
    return call


def _outcome(name: str, built: Built) -> str:
    """Return what came of the build in one line."""
    if built.library is None:
        return f"✗ {name}: the compiler refused it"
    found = "found in the cache" if built.cached else "built"
    return f"✓ {name}: {found}; functions: {', '.join(built.functions) or 'none that Python can call'}"


def _declared_id(exercise: str) -> str:
    """Return a known exercise's id, or refuse with one line."""
    return _declared(exercise, f"%%cuda {exercise}").id


def _declared(exercise: str, words: str) -> Declared:
    try:
        return find(exercise)
    except LookupError as error:
        refuse(f"{words}: {error}")
