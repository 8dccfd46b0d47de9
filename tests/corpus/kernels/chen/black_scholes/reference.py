import numpy as np


def cnd(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    t = np.exp(-0.5 * d * d) / np.sqrt(2 * np.pi) * p
    return np.where(d > 0, 1 - t, t)


def black_scholes(stock, strike, years):
    r, v = 0.02, 0.30
    vt = v * np.sqrt(years)
    d1 = (np.log(stock / strike) + (r + 0.5 * v * v) * years) / vt
    c1, c2 = cnd(d1), cnd(d1 - vt)
    x = strike * np.exp(-r * years)
    return {"call": stock * c1 - x * c2, "put": x * (1 - c2) - stock * (1 - c1)}
