import numpy as np


def rotate(image):
    return np.rot90(image, -1)
