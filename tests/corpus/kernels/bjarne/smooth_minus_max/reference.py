import numpy as np


def smooth_minus_max(x):
    left = np.concatenate([x[:, :1], x[:, :-1]], axis=1)
    y = 0.5 * (x + left)
    return y - y.max(axis=1, keepdims=True)
