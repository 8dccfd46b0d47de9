def rgb_planar_to_grey(colour):
    return (77 * colour[0] + 150 * colour[1] + 29 * colour[2] + 128) // 256
