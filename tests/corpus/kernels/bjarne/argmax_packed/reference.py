import numpy as np


def argmax_rows(logits):
    return np.argmax(logits, axis=1).astype(np.int32)  # the first of equal maxima
