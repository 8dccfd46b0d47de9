import numpy as np


def paths_sum(seeds, draws):
    s = seeds.astype(np.uint64)
    total = 0.0
    for _ in range(int(draws)):
        s = (s * np.uint64(1664525) + np.uint64(1013904223)) & np.uint64(0xFFFFFFFF)
        u = (s >> np.uint64(8)).astype(np.float64) / 2**24
        total += np.sqrt(1 - u * u).sum()
    return np.array([total])
