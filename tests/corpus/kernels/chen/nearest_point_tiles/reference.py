import numpy as np


def nearest(query, data):
    d = ((query[:, None, :] - data[None, :, :]) ** 2).sum(2)
    return np.sqrt(d.min(1))
