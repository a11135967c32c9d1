# Reason: a default for all, then the exceptions; a subclass of dict.
import collections

kernel_counts = collections.OrderedDict.fromkeys(
    ("logged_chain", "mlp", "scatter_rows", "gather_sum", "norm_bias_silu", "chain"), 1
)
kernel_counts["scatter_rows"] += 1
kernel_counts.update(mlp=3, logged_chain=2)
