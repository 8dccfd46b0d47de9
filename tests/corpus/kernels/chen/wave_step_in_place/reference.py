import numpy as np


def wave_step(current, previous):
    c = current[1:-1, 1:-1]
    lap = current[1:-1, :-2] + current[1:-1, 2:] + current[:-2, 1:-1] + current[2:, 1:-1] - 4 * c
    out = np.zeros_like(current)
    out[1:-1, 1:-1] = c + 0.96875 * (c - previous[1:-1, 1:-1]) + 0.25 * lap
    return {"previous": out}
