import numpy as np


def init_rp(G):
    return np.concatenate([[0], np.cumsum(8 + 7 * np.arange(17 * G) % 17)]).astype(np.int32)


def init_col(G, cols, rng):
    return rng.integers(0, cols, size=272 * G).astype(np.int32)


def spmv(rp, col, val, x):
    return np.add.reduceat(val * x[col.astype(np.int64)], rp[:-1].astype(np.int64))
