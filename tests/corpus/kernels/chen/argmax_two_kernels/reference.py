import numpy as np


def argmax(x):
    n = len(x)
    blocks = -(-n // 256)
    p = np.full(blocks * 256, -np.inf)
    p[:n] = x
    p = p.reshape(blocks, 256)
    i = p.argmax(1)
    return {
        "partial_values": p.max(1),
        "partial_indices": i + 256 * np.arange(blocks),
        "best_value": np.array([x.max()]),
        "best_index": np.array([x.argmax()]),
    }
