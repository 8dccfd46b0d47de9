def column_mean(matrix):
    return matrix.mean(0)
