def matvec(A, x):
    return A @ x
