import numpy as np


def direction(image):
    gx, gy = np.zeros_like(image), np.zeros_like(image)
    gx[1:-1, 1:-1] = image[1:-1, 2:] - image[1:-1, :-2]
    gy[1:-1, 1:-1] = image[2:, 1:-1] - image[:-2, 1:-1]
    length = np.sqrt(gx * gx + gy * gy)
    length[length == 0] = 1
    return {"direction_x": gx / length, "direction_y": gy / length}
