import numpy as np


def swap(k):
    return np.ascontiguousarray(k.transpose(0, 1, 3, 2))
