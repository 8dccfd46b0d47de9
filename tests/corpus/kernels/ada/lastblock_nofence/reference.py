import numpy as np


def max_of(x):
    return np.array([x.max()])
