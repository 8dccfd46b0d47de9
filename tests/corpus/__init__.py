"""Labelled kernels by several hands, and the score that warpgauge reaches on them."""
