# Reason: each number is the sum of what cannot be fused.
library, elementwise, filled, scattered, graph_break = 1, 1, 1, 1, 1
kernel_counts = dict(
    chain=elementwise,
    norm_bias_silu=elementwise,
    gather_sum=elementwise,
    scatter_rows=filled + scattered,
    mlp=library + elementwise + library,
    logged_chain=elementwise + graph_break,
)
