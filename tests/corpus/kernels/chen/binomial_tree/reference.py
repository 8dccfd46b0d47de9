import numpy as np


def binomial_tree(stock, strike):
    steps, volatility, rate = 63, 0.3, 0.02
    dt = 1 / steps
    up = np.exp(volatility * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    j = np.arange(steps + 1)
    v = np.maximum(stock[:, None] * up ** (2 * j - steps) - strike[:, None], 0)
    for _ in range(steps):
        v = np.exp(-rate * dt) * (p * v[:, 1:] + (1 - p) * v[:, :-1])
    return v[:, 0]
