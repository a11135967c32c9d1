# Reason: tensors of one whole number count as whole numbers.
names = ["chain", "norm_bias_silu", "gather_sum", "scatter_rows", "mlp", "logged_chain"]
kernel_counts = dict(zip(names, torch.tensor([1, 1, 1, 2, 3, 2]).unbind()))
