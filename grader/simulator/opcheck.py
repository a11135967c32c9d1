"""`torch.library.opcheck` for tensors on `sim`: its test of autograd keys knows other devices only."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch

_KEYS = ("AutogradPrivateUse1", "Autograd", "CompositeImplicitAutograd")


def extend(device: str) -> None:
    """Make `torch.library.opcheck` take tensors on `device`.  Its tests are imported at its first call."""
    own = torch.library.opcheck

    @functools.wraps(own)
    def opcheck(*args: Any, **kwargs: Any) -> Any:
        _extend_tests(device)
        return own(*args, **kwargs)

    torch.library.opcheck = opcheck


def _extend_tests(device: str) -> None:
    tests: Any = import_module("torch.testing._internal.optests.generate_tests")
    own: Callable[..., Any] = tests.autograd_registration_check
    if hasattr(own, "extended"):
        return

    @functools.wraps(own)
    def check(op: Any, args: Any, kwargs: Any) -> None:
        leaves = torch.utils._pytree.tree_leaves((args, kwargs))
        if any(isinstance(one, torch.Tensor) and one.device.type == device for one in leaves):
            _check(op, args, kwargs, leaves)
        else:
            own(op, args, kwargs)

    vars(check)["extended"] = True
    tests.autograd_registration_check = check


def _check(op: Any, args: Any, kwargs: Any, leaves: list[Any]) -> None:
    """Refuse results that require a gradient although no autograd key has a kernel, as PyTorch's own does."""
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    if any(has_kernel(op.name(), key) for key in _KEYS):
        return
    modes: Any = import_module("torch.testing._internal.optests.autograd_registration")
    with modes.set_autograd_fallback_mode("nothing"):
        results = torch.utils._pytree.tree_leaves(op(*args, **kwargs))
    given = {id(one) for one in leaves}
    if any(isinstance(one, torch.Tensor) and one.requires_grad and id(one) not in given for one in results):
        raise AssertionError(
            f"{op.name()}: at least one output of this operator has requires_grad=True but the operator does "
            "not have an autograd kernel defined at an autograd key (e.g. DispatchKey::Autograd)"
        )
