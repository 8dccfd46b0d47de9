import numpy as np


def transposed(a):
    return np.array(a.T, order="C", copy=True)
