def bias_grad(grad):
    return grad.sum(axis=0)
