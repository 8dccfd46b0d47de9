import numpy as np


def accumulate(x, y, labels, sum_x, sum_y, sizes):
    def count(w):
        return np.bincount(labels, weights=w, minlength=8)

    return {"sum_x": sum_x + count(x), "sum_y": sum_y + count(y), "sizes": sizes + count(np.ones(len(x)))}
