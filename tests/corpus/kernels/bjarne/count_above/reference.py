import numpy as np


def count_above(x):
    return (x > 0.5).sum(axis=1).astype(np.int32)
