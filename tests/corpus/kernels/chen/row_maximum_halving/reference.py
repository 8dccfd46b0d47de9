def row_maximum(matrix):
    return matrix.max(1)
