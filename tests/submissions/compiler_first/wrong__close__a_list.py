# Reason: a list has no names.
kernel_counts = {name: [count] for name, count in {'chain': 1, 'mlp': 3}.items()}
