# Reason: mlp is not there.
kernel_counts = {
    "chain": 1,
    "norm_bias_silu": 1,
    "gather_sum": 1,
    "scatter_rows": 2,
    "logged_chain": 2,
}
