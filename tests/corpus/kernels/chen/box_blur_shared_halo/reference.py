import numpy as np


def box_blur(image):
    h, w = image.shape
    p = np.pad(image, 1, mode="edge")
    return sum(p[i : i + h, j : j + w] for i in range(3) for j in range(3)) / 9
