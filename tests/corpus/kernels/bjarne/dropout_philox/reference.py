import numpy as np


def philox(counter, k0, k1):
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    zero = np.zeros_like(counter)
    c0, c1, c2, c3 = counter & low, counter >> shift, zero, zero
    for _ in range(10):
        p0 = np.uint64(0xD2511F53) * c0
        p1 = np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (p1 >> shift) ^ c1 ^ np.uint64(k0), p1 & low, (p0 >> shift) ^ c3 ^ np.uint64(k1), p0 & low
        k0 = (k0 + 0x9E3779B9) & 0xFFFFFFFF
        k1 = (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=1)


def dropout(x):
    groups = (x.size + 3) // 4
    words = philox(np.arange(groups, dtype=np.uint64), 20240607, 42).reshape(-1)[: x.size]
    return np.where(words < np.uint64(1 << 30), 0.0, x * (4.0 / 3.0))
