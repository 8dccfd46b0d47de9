import numpy as np


def cross_entropy(logits, target, classes):
    m = logits.max(axis=1)
    lse = m + np.log(np.exp(logits - m[:, None]).sum(axis=1))
    return lse - logits[np.arange(len(target)), target.astype(np.int64) % classes]
