# Reason: the reduction and what follows it are taken for two kernels.
kernel_counts = {
    "chain": 1,
    "norm_bias_silu": 2,
    "gather_sum": 1,
    "scatter_rows": 2,
    "mlp": 3,
    "logged_chain": 2,
}
