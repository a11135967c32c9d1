# Reason: the patterns are compiled and counted by the answer itself.
from grader import inductor
from grader.exercises.compiler_first import PATTERNS

kernel_counts = {
    name: len(inductor.kernels(pattern, *inputs(torch.device("cpu")))) for name, (pattern, inputs) in PATTERNS.items()
}
