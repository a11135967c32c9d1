# Reason: the activation is taken to be part of the matrix product.
kernel_counts = {
    "chain": 1,
    "norm_bias_silu": 1,
    "gather_sum": 1,
    "scatter_rows": 2,
    "mlp": 2,
    "logged_chain": 2,
}
