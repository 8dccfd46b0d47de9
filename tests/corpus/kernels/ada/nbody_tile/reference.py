import numpy as np


def accelerations(body):
    r, m = body[:, :3], body[:, 3]
    d = r[None, :, :] - r[:, None, :]
    f = m[None, :] / ((d * d).sum(axis=2) + float(np.float32(0.01))) ** 1.5
    a = (f[:, :, None] * d).sum(axis=1)
    return np.concatenate([a, np.zeros((len(a), 1))], axis=1)
