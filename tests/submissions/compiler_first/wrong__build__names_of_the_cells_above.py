# Reason: the answer is judged by itself, and names of the lesson's other cells are not in it.
kernel_counts = {
    "chain": len(inductor.kernels(chain, x, y)),
    "norm_bias_silu": len(inductor.kernels(norm_bias_silu, x, bias)),
    "gather_sum": len(inductor.kernels(gather_sum, x, groups)),
    "scatter_rows": len(inductor.kernels(scatter_rows, x, target)),
    "mlp": len(inductor.kernels(mlp, *layers)),
    "logged_chain": len(inductor.kernels(logged_chain, x, y)),
}
