import numpy as np


def init_text(n, rng):
    return rng.choice(np.frombuffer(b"abcdeXYZ  ,.3", dtype=np.uint8), size=n)


def words(text):
    low = text.astype(np.int64) | 32
    letter = (low >= ord("a")) & (low <= ord("z"))
    ahead = np.append(letter[1:], False)
    return np.array([np.count_nonzero(letter & ~ahead)])
