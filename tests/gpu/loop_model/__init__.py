"""The loop model against reality: kernels whose predicted cycles are ranked against times measured on a GPU."""
