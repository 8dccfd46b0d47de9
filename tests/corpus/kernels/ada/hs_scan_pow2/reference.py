import numpy as np


def scan_rows(x):
    return np.cumsum(x.astype(np.int64), axis=1)
