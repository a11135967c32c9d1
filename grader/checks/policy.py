"""`policy`: the learner's kernel does the work.

With kernels made to do nothing the result must change, and no PyTorch operator computes: allocating, copying
and viewing are free.  The evidence comes from the simulator.  An answer that fails this earns nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.checks.base import PASSED, Bench, Check, Drawn, Finding, failed
from grader.checks.close import value_problem
from grader.checks.gradients import agree, flags_of, magnitudes
from grader.exercise import Case
from grader.judge.observation import Observation, OutputSeen
from grader.judge.protocol import Step

_ALLOCATING = (
    "empty empty_like empty_strided new_empty new_empty_strided zeros zeros_like new_zeros zero_ ones "
    "ones_like full full_like new_full fill_ resize_ set_ pin_memory is_pinned record_stream"
)
_MOVING = "clone contiguous copy_ _to_copy to _copy_from _copy_from_and_resize _local_scalar_dense item"
_VIEWING = (
    "view reshape _unsafe_view _reshape_alias as_strided as_strided_ slice select expand expand_as permute "
    "transpose t narrow squeeze unsqueeze flatten unflatten detach detach_ alias view_as lift_fresh lift "
    "unbind split chunk split_with_sizes"
)
MOVING = frozenset(_MOVING.split())
FREE = frozenset(f"{_ALLOCATING} {_VIEWING}".split()) | MOVING
"""Operators that allocate, move, describe or reinterpret memory."""
_TELLING, _SHARE = 64, 16
"""Of a result with so many elements kernels write at least one part in so many: empty segments and rows that
are only copied are not written by them."""
COMPARISONS = frozenset({"gt", "ge", "lt", "le", "ne", "eq"})
"""Operators that make a mask, which a Python forward may save for its backward."""


@dataclass(frozen=True)
class Policy(Check):
    """Who does the work.  See the module."""

    case: Case = Case("who computes", (777,))
    copies: bool = False
    """Whether the work is copying: no kernel is asked for, and PyTorch may not move dense arguments."""
    backward: bool = False
    """Whether backward's work, too, has to be done by kernels."""
    name = "policy"
    needs_values = True
    on_sim = True
    zeroes_score = True

    def run(self, bench: Bench) -> Finding:
        """Report work that is not the kernel's."""
        answer = bench.exercise.answer
        free = FREE - MOVING if self.copies else FREE
        targets = {f"kernels.{answer.function}" if answer.function else answer.entry: free}
        if answer.needs_python:
            targets[answer.entry] = free | COMPARISONS
        for target, allowed in targets.items():
            idle = None if self.copies else self._idle(bench, target)
            finding = idle or self._operators(bench, target, allowed)
            if finding:
                return finding
        return (self._backward(bench) if self.backward else None) or PASSED

    def _idle(self, bench: Bench, target: str) -> Finding | None:
        """See whether the result is right although no kernel did anything."""
        drawn = bench.draw(self.case, "idle", target)
        seen = bench.observe(Step(target, (drawn.arguments,), kernels_enabled=False))
        if seen.error or not _right(bench, seen.calls[0].outputs, drawn):
            return None
        return failed(
            f"{target.split('.')[1]}: the result is right even when kernels do nothing, so it comes from no "
            "kernel. The work has to be done by a __global__ function of your own."
        )

    def _backward(self, bench: Bench) -> Finding | None:
        """See whether a gradient is right although no kernel did anything, or PyTorch computed one."""
        answer = bench.exercise.answer
        drawn = bench.draw(self.case, "backward")
        incoming = bench.random("backward, incoming").normal(drawn.expected.shape, dtype=drawn.case.dtype)
        flags = flags_of(drawn.arguments)
        step = Step(answer.entry, (drawn.arguments,), differentiate=flags, gradient=incoming)
        working = bench.observe(replace(step, watch=True))
        idle = bench.observe(replace(step, kernels_enabled=False))
        measures = magnitudes(bench, drawn.arguments, incoming, flags)
        for one, other, measure in zip(working.gradients, idle.gradients, measures, strict=False):
            if one is not None and agree([one], [other], [measure], bench.exercise.ulps):
                return failed(
                    f"{answer.called}: in backward a gradient is right even when kernels do nothing, so none "
                    "computes it. The work has to be done by __global__ functions of your own."
                )
        return self._computing(f"{answer.called}, in backward,", working.operators, FREE | COMPARISONS)

    def _operators(self, bench: Bench, target: str, allowed: frozenset[str]) -> Finding | None:
        """See whether PyTorch was asked to compute."""
        drawn = bench.draw(self.case, "watch", target)
        seen = bench.observe(Step(target, (drawn.arguments,), watch=True, profile=True))
        who = target.split(".")[1]
        ran = seen.operators if self.copies else (*seen.operators, *seen.device_operators)
        return self._computing(who, ran, allowed) or self._unwritten(who, seen, drawn)

    def _unwritten(self, who: str, seen: Observation, drawn: Drawn) -> Finding | None:
        """See whether the result came from somewhere else: kernels wrote next to nothing."""
        values = seen.calls[0].outputs[0].values if seen.calls[0].outputs else None
        if self.copies or values is None or values.numel() < _TELLING:
            return None
        written = sum(
            one["bytes"] for one in seen.launches if one.get("access") == "write" and "bytes" in one
        )
        if written * _SHARE >= values.numel() * values.itemsize:
            return None
        return failed(
            f"{who}: kernels wrote {written} bytes, and the result has {values.numel() * values.itemsize}: "
            "most of it was computed elsewhere. The work has to be done by a __global__ function of your own."
        )

    def _computing(self, who: str, operators: Sequence[str], allowed: frozenset[str]) -> Finding | None:
        # An operator of the answer's own is one of its functions: whether kernels do its work, `_idle` tells.
        computing = [name for name in operators if not (_is_free(name, allowed) or _is_own(name, who))]
        if not computing:
            return None
        does, by = ("computes", "a __global__ function of your own")
        if self.copies:
            does, by = ("does this exercise's work", "cudaMemcpyAsync or cudaMemcpy2DAsync")
        return failed(
            f"{who} called {computing[0].split('.')[0]}, a PyTorch operator that {does}. "
            f"The work has to be done by {by}.",
            details=[{"kind": "operators", "names": computing}],
        )


def _right(bench: Bench, outputs: tuple[OutputSeen, ...], drawn: Drawn) -> bool:
    values = outputs[0].values if outputs else None
    return values is not None and value_problem(bench, values, drawn) is None


def _is_own(name: str, who: str) -> bool:
    """Whether an operator has the namespace of the operator that was called."""
    return "::" in who and name.split("::")[0] == who.split("::")[0]


def _is_free(name: str, allowed: frozenset[str]) -> bool:
    namespace, _, rest = name.partition("::")
    return namespace in {"aten", "prim", "profiler"} and rest.split(".")[0] in allowed
