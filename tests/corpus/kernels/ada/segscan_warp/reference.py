import numpy as np


def init_head(n, rng):
    return (rng.random(n) < 0.03).astype(np.uint8)


def segscan(val, head):
    i = np.arange(val.size)
    first = np.maximum.accumulate(np.where((head != 0) | (i % 256 == 0), i, 0))
    v = val.astype(np.int64)
    total = np.cumsum(v)
    return total - total[first] + v[first]
