def integral_rows(image):
    return image.cumsum(1)
