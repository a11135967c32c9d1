"""Right submissions broken mechanically: what the checks let through."""

from grader.mutation.command import main
from grader.mutation.mutants import Mutant, mutants_of

__all__ = ["Mutant", "main", "mutants_of"]
