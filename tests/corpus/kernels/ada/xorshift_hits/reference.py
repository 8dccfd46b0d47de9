import numpy as np


def _draw(s):
    s = s ^ ((s << 13) & 0xFFFFFFFF)
    s = s ^ (s >> 17)
    s = s ^ ((s << 5) & 0xFFFFFFFF)
    return s, s >> 16


def count_hits(seeds, draws):
    s = seeds.astype(np.int64)
    hits = 0
    for _ in range(int(draws)):
        s, x = _draw(s)
        s, y = _draw(s)
        hits += int(np.count_nonzero(x * x + y * y < 2**32))
    return np.array([hits])
