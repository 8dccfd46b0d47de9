import numpy as np


def moving_average(signal):
    s = np.concatenate([[0.0], np.cumsum(np.pad(signal, 32))])
    return (s[65:] - s[:-65]) / 65
