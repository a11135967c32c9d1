# Reason: a name is used that nobody defined.
kernel_counts = {
    "chain": 1,
    "norm_bias_silu": 1,
    "gather_sum": 1,
    "scatter_rows": 2,
    "mlp": three,
    "logged_chain": 2,
}
