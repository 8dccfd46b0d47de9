import numpy as np


def depthwise(x, weights, bias, H, W):
    p = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    y = np.zeros_like(x) + bias[:, None, None]
    for dy in range(3):
        for dx in range(3):
            y += weights[:, dy, dx][:, None, None] * p[:, dy : dy + H, dx : dx + W]
    return y
