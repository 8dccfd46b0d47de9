import numpy as np


def rowtv(x):
    return np.abs(np.diff(x, axis=1)).sum(axis=1)
