"""Which ATen operators a call ran, whatever device their tensors were on."""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


class OperatorLog(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Collects the names of operators below autograd, those called from C++ included."""

    def __init__(self) -> None:
        """Start with an empty log."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Shielding from the compiler would import it: 800 modules, seconds.
        return False

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Note the operator and run it."""
        self.names.append(str(function.name()))
        return function(*args, **(kwargs or {}))
