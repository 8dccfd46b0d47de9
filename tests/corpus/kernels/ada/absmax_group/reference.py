import numpy as np


def absmax(x):
    return np.maximum.reduceat(np.abs(x), np.arange(0, x.size, 32)) / 127
