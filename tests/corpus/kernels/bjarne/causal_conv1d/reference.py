import numpy as np


def causal(x, weights, steps):
    p = np.pad(x, ((0, 0), (8, 0)))
    return sum(weights[:, j : j + 1] * p[:, j : j + steps] for j in range(9))
