def scaled(A, B, C):
    return {"C": 1.5 * (A @ B) - 0.5 * C}
