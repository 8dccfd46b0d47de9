import numpy as np


def count_letters(text, counts):
    c = text.astype(np.int64) | 32
    bins = np.where((c >= 97) & (c < 123), c - 97, 26)
    return {"counts": counts + np.bincount(bins, minlength=27)}
