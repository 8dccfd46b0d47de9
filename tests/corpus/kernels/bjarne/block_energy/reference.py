import numpy as np


def block_energy(x, blocks):
    p = np.zeros(blocks * 256)
    p[: x.size] = x * x
    return p.reshape(blocks, 256).sum(axis=1)
