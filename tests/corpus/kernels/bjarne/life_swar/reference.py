import numpy as np


def step(now):
    alive = now.astype(np.int64) & 1
    n = sum(
        np.roll(alive, (dy, dx), axis=(0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)
    )
    return ((n == 3) | ((n == 2) & (alive == 1))).astype(np.uint8)
