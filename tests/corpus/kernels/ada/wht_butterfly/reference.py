import numpy as np


def wht(x):
    h = np.ones((1, 1))
    while len(h) < 512:
        h = np.block([[h, h], [h, -h]])
    return x @ h
