# Reason: True is no number of kernels.
kernel_counts = {
    "chain": True,
    "norm_bias_silu": 1,
    "gather_sum": 1,
    "scatter_rows": 2,
    "mlp": 3,
    "logged_chain": 2,
}
