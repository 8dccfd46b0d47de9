import numpy as np


def stencil7(u):
    p = np.pad(u, 1)
    six = p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1]
    six = six + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:]
    return 0.5 * u + 0.0625 * six
