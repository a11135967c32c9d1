# Reason: a chain is split.
kernel_counts = {
    "chain": 2,
    "norm_bias_silu": 1,
    "gather_sum": 1,
    "scatter_rows": 2,
    "mlp": 3,
    "logged_chain": 2,
}
