import numpy as np


def sort_chunks(keys):
    n = keys.size
    full = n // 512 * 512
    head = np.sort(keys[:full].reshape(-1, 512), axis=1).reshape(-1)
    return np.concatenate([head, np.sort(keys[full:])])
