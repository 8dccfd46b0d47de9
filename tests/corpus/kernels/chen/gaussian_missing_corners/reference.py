import numpy as np


def gaussian(image):
    h, w = image.shape
    p = np.pad(image, 1, mode="edge")
    k = (0.25, 0.5, 0.25)
    return sum(k[i] * k[j] * p[i : i + h, j : j + w] for i in range(3) for j in range(3))
