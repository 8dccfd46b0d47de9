import numpy as np


def init_rp(G):
    return np.concatenate([[0], np.cumsum(32 * (1 + np.arange(3 * G) % 3))]).astype(np.int32)


def init_col(G, cols, rng):
    start = 8 * rng.integers(0, (cols - 32) // 8 + 1, size=6 * G)      # each run of 32 starts at a sector boundary
    return (start[:, None] + np.arange(32)).reshape(-1).astype(np.int32)


def init_val(G, rng):
    val = rng.standard_normal(192 * G)
    rp = init_rp(G)
    for pad in range(1, 5):                                            # rows r with r mod 5 >= pad are padded
        rows = np.arange(3 * G)
        val[rp[1:][rows % 5 >= pad] - pad] = 0
    return val.astype(np.float32)


def spmv(rp, col, val, x):
    return np.add.reduceat(val * x[col.astype(np.int64)], rp[:-1].astype(np.int64))
