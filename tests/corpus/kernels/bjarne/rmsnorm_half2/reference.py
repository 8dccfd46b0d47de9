import numpy as np


def rmsnorm(x, weight):
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * weight
