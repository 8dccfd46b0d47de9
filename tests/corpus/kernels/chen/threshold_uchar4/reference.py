def threshold(image):
    return (image >= 100) * 255
