import numpy as np


def sparse_bits(shape, rng):
    return (rng.random(shape) < 0.02).astype(np.int64)


def some_bits(shape, rng):
    return (rng.random(shape) < 0.2).astype(np.int64)


def some_levels(shape, rng):
    return rng.integers(-4, 3, shape).clip(-1, 2)


def bfs_level(adjacency, frontier, levels):
    reached = adjacency[frontier != 0].any(0)
    new = reached & (levels < 0)
    return {"next_frontier": new.astype(np.int64), "levels": np.where(new, 3, levels)}
