def residual(x, branch):
    return x + 0.5 * branch
