# Reason: numbers without names.
kernel_counts = [1, 1, 1, 2, 3, 2]
