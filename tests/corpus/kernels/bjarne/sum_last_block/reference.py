import numpy as np


def total(x):
    return np.array([x.sum()])
