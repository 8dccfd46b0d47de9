def whole(shape, rng):
    return rng.integers(0, 256, shape)


def assign(image, centres):
    d = ((image[None] - centres[:, :, None, None]) ** 2).sum(1)
    return d.argmin(0)
