import numpy as np


def hist16(bytes):
    return np.bincount(bytes.astype(np.int64) >> 4, minlength=16)
