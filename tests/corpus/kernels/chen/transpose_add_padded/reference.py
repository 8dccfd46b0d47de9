def transpose_add(A, B):
    return A.T + B
