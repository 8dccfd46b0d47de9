import numpy as np


def thomas(a, b, c, d):
    m, batch = d.shape
    full = np.zeros((batch, m, m))                  # by dense elimination, in pieces of the batch
    i = np.arange(m)
    full[:, i, i] = b.T
    full[:, i[1:], i[:-1]] = a.T[:, 1:]
    full[:, i[:-1], i[1:]] = c.T[:, :-1]
    return np.ascontiguousarray(np.linalg.solve(full, d.T[:, :, None])[:, :, 0].T)
