# Reason: functions without def, the second the first's base case.
fused_bytes = lambda numel, itemsize, unary_ops: numel * itemsize * 3
eager_bytes = lambda numel, itemsize, unary_ops: (
    eager_bytes(numel, itemsize, unary_ops - 1) + numel * itemsize * 2
    if unary_ops
    else fused_bytes(numel, itemsize, 0)
)
