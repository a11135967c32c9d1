# Reason: one kernel for each operation, as without a compiler.
kernel_counts = {
    "chain": 5,
    "norm_bias_silu": 8,
    "gather_sum": 2,
    "scatter_rows": 2,
    "mlp": 3,
    "logged_chain": 5,
}
