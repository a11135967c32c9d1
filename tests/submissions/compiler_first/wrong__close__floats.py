# Reason: the numbers are floats.
kernel_counts = {
    "chain": 1.0,
    "norm_bias_silu": 1.0,
    "gather_sum": 1.0,
    "scatter_rows": 2.0,
    "mlp": 3.0,
    "logged_chain": 2.0,
}
