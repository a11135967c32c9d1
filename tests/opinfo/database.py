"""PyTorch's own operator database, and its samples on both devices."""

from __future__ import annotations

import importlib.util
import random
import sys
import types
import unittest
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_map

DTYPES = (torch.float32, torch.int64, torch.bool)


def operators() -> list[Any]:
    """Return PyTorch's operator database, in its order."""
    if "expecttest" not in sys.modules and importlib.util.find_spec("expecttest") is None:
        # The database's module imports it for a base class of test cases, and runs none here.
        sys.modules["expecttest"] = _stand_in("expecttest", TestCase=unittest.TestCase)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about packages that PyTorch's own tests would like to have
        from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


def _stand_in(name: str, **members: object) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(members)
    return module


def name_of(op: Any) -> str:
    """Return an entry's name with its variant: `div.floor_rounding`."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else str(op.name)


@dataclass
class Sample:
    """One call of an operator: on the CPU, and with the same bytes on the device."""

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    process: Callable[[Any], Any]

    def run(self) -> Any:
        """Call the operator."""
        return self.process(self.call(*self.arguments, **self.keywords))

    def tensors(self) -> list[torch.Tensor]:
        """Return the tensors that the call is given."""
        return tensors_in((self.arguments, self.keywords))

    def on(self, device: str) -> Sample:
        """Return the same call on a device, with tensors of the same strides, offsets and sharing."""
        move = Mover(device)
        return Sample(self.call, move.all(self.arguments), move.all(self.keywords), self.process)


def samples(op: Any, dtype: torch.dtype, gradients: bool) -> list[Sample]:
    """Return the database's samples of one operator, the same in every run."""
    seed_everything(0)
    return [
        Sample(op.op, (sample.input, *sample.args), dict(sample.kwargs), sample.output_process_fn_grad)
        for sample in op.sample_inputs("cpu", dtype, requires_grad=gradients)
    ]


def seed_everything(seed: int) -> None:
    """Seed PyTorch, NumPy and Python, which the samples draw from."""
    import numpy

    torch.manual_seed(seed)
    numpy.random.seed(seed)
    random.seed(seed)


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Return the tensors of nested arguments or results, in order."""
    found: list[torch.Tensor] = []
    tree_map(lambda leaf: found.append(leaf) if isinstance(leaf, torch.Tensor) else None, value)
    return found


class Mover:
    """Copies tensors to a device: whole storages, so that views stay views of one memory."""

    def __init__(self, device: str) -> None:
        """Copy to `device`."""
        self.device = device
        self._storages: dict[int, torch.UntypedStorage] = {}
        self._tensors: dict[int, torch.Tensor] = {}
        self._kept: list[torch.Tensor] = []

    def all(self, value: Any) -> Any:
        """Return the nested value with its tensors and devices moved."""
        return tree_map(self._leaf, value)

    def _leaf(self, leaf: Any) -> Any:
        if isinstance(leaf, torch.device) and leaf.type == "cpu":
            return torch.device(self.device)
        if isinstance(leaf, str) and leaf == "cpu":
            return self.device
        return self.tensor(leaf) if isinstance(leaf, torch.Tensor) else leaf

    def tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the tensor's twin; the same twin for the same tensor."""
        if id(tensor) not in self._tensors:
            self._kept.append(tensor)  # so that its id is not given to another
            with torch.no_grad():
                twin = self._copy(tensor.detach())
            self._tensors[id(tensor)] = twin.requires_grad_(tensor.requires_grad)
        return self._tensors[id(tensor)]

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout != torch.strided or type(tensor) is not torch.Tensor:
            return tensor.to(self.device)
        if tensor.is_conj():
            return self._copy(tensor.conj()).conj()
        if tensor.is_neg():
            return self._copy(torch._neg_view(tensor))._neg_view()
        twin = torch.empty(0, dtype=tensor.dtype, device=self.device)
        storage = self._storage(tensor.untyped_storage())
        return twin.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())

    def _storage(self, storage: torch.UntypedStorage) -> torch.UntypedStorage:
        key = storage._cdata
        if key not in self._storages:
            whole = torch.empty(0, dtype=torch.uint8).set_(storage)
            self._kept.append(whole)
            self._storages[key] = whole.to(self.device).untyped_storage()
        return self._storages[key]
