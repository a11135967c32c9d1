"""Operators that a module registers with PyTorch, so that a rebuilt module can take an older one's place.

`TORCH_LIBRARY` registers while a library is opened, from a static initialiser: a second definition of an
operator throws where nothing can catch, and ends the process.  In a unit that names the macro, the
initialiser is replaced by one that only remembers; `load` registers afterwards, when errors are exceptions,
and takes back what an older module registered (`docs/decisions/0081-operators-registered-again.md`).
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_NAMED = re.compile(r"\bTORCH_LIBRARY(?:_FRAGMENT|_IMPL|_EXPAND)?\b")

DEFERRED = """\
#include <torch/library.h>
namespace torch::detail {
namespace {
class GraderLibraryInit {
 public:
  using InitFn = void(Library&);
  GraderLibraryInit(Library::Kind kind, InitFn* fn, const char* ns, std::optional<c10::DispatchKey> key,
                    const char* file, uint32_t line)
      : kind_(kind), fn_(fn), ns_(ns), key_(key), file_(file), line_(line) {
    all().push_back(this);
  }
  static std::vector<GraderLibraryInit*>& all() {
    static auto* list = new std::vector<GraderLibraryInit*>;
    return *list;
  }
  static const char* begin() {
    static auto* message = new std::string;
    try {
      for (auto* one : all()) {
        one->library_ = std::make_unique<Library>(one->kind_, one->ns_, one->key_, one->file_, one->line_);
        one->fn_(*one->library_);
      }
    } catch (const c10::Error& error) {
      *message = error.what_without_backtrace();
    } catch (const std::exception& error) {
      *message = error.what();
    } catch (...) {
      *message = "an exception of a type of its own";
    }
    if (message->empty()) return nullptr;
    end();
    static std::string told;
    told.swap(*message);
    message->clear();
    return told.c_str();
  }
  static void end() {
    for (auto one = all().rbegin(); one != all().rend(); ++one) (*one)->library_.reset();
  }
  static const char* defines() {
    static auto* names = new std::string;
    names->clear();
    for (auto* one : all()) {
      if (one->kind_ == Library::DEF) *names += std::string(one->ns_) + " ";
    }
    return names->c_str();
  }

 private:
  Library::Kind kind_;
  InitFn* fn_;
  const char* ns_;
  std::optional<c10::DispatchKey> key_;
  const char* file_;
  uint32_t line_;
  std::unique_ptr<Library> library_;
};
}  // namespace
}  // namespace torch::detail
#define TorchLibraryInit GraderLibraryInit"""
"""Stands before a unit's text.  It has internal linkage: every module keeps a list of its own."""


def is_named(text: str) -> bool:
    """Whether a source registers operators."""
    return _NAMED.search(text) is not None


def table(symbol: str) -> str:
    """Return C++ code that exports a unit's registrations beside its functions, `symbol`."""
    export = 'extern "C" __attribute__((visibility("default")))'
    kind = "torch::detail::GraderLibraryInit"
    return (
        f"{export} const char* {symbol}_register() {{ return {kind}::begin(); }}\n"
        f"{export} void {symbol}_deregister() {{ {kind}::end(); }}\n"
        f"{export} const char* {symbol}_defines() {{ return {kind}::defines(); }}\n"
    )


@dataclass(frozen=True)
class _Registered:
    """One unit whose operators are registered."""

    module: str
    symbol: str
    opened: ctypes.CDLL
    namespaces: frozenset[str]

    def call(self, what: str) -> str:
        """Call one of the functions of `table` and return the text that it gives."""
        function = getattr(self.opened, f"{self.symbol}_{what}")
        function.restype = None if what == "deregister" else ctypes.c_char_p
        return (function() or b"").decode(errors="replace")


_registered: list[_Registered] = []


def register(opened: ctypes.CDLL, symbols: Iterable[str], module: str) -> None:
    """Register the operators of an opened library, in place of those of older modules.

    Older are those of the same name, and those that define the same namespace.  What Python registered for
    these operators goes with them.  Raises `RuntimeError` where PyTorch refuses a registration.
    """
    found = list(_units(opened, symbols, module))
    namespaces = frozenset(name for unit in found for name in unit.namespaces)
    for unit in [
        one for one in _registered if found and (one.module == module or one.namespaces & namespaces)
    ]:
        forget_python(unit.namespaces)
        unit.call("deregister")
        _registered.remove(unit)
    for unit in found:
        problem = unit.call("register")
        if problem:
            raise RuntimeError(f"{module} could not be registered: {problem.strip()}")
        _registered.append(unit)


def _units(opened: ctypes.CDLL, symbols: Iterable[str], module: str) -> Iterator[_Registered]:
    for symbol in symbols:
        if hasattr(opened, f"{symbol}_register"):
            unit = _Registered(module, symbol, opened, frozenset())
            yield _Registered(module, symbol, opened, frozenset(unit.call("defines").split()))


def forget_python(namespaces: Iterable[str]) -> None:
    """Take back what Python registered for operators of these namespaces, and forget what was looked up."""
    import torch

    wanted = frozenset(namespaces)
    take_back([one for one in getattr(torch.library, "_keep_alive", []) if one.ns in wanted])
    forget_lookups(wanted)


def take_back(libraries: Sequence[Any]) -> None:
    """Undo what was registered through libraries that PyTorch keeps, as its own tests do."""
    import torch

    kept: list[Any] = getattr(torch.library, "_keep_alive", [])
    for library in libraries:
        library._destroy()
        if library in kept:
            kept.remove(library)
    refresh({str(library.ns) for library in libraries})
    if "torch._dynamo" in sys.modules:  # a compiled graph would go on with the operator that it was made for
        torch._dynamo.reset()


def forget_lookups(namespaces: Iterable[str]) -> None:
    """Forget operators that `torch.ops` has looked up: those of a module that has gone cannot be called."""
    import torch

    for name in namespaces:
        namespace = getattr(torch.ops, name)
        for operator in _looked_up(namespace):
            delattr(namespace, operator)
            if operator in namespace._dir:
                namespace._dir.remove(operator)


def refresh(namespaces: Iterable[str]) -> None:
    """Have operators look for their kernels anew: they remember which ones they found.

    They are not forgotten: PyTorch itself keeps the first object that was made for an operator.
    """
    import torch

    for name in namespaces:
        for packet in _looked_up(getattr(torch.ops, name)).values():
            for overload in packet.overloads():
                vars(getattr(packet, overload)).get("_dispatch_cache", {}).clear()


def _looked_up(namespace: Any) -> dict[str, Any]:
    from torch._ops import OpOverloadPacket

    return {name: value for name, value in vars(namespace).items() if isinstance(value, OpOverloadPacket)}
