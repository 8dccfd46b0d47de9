def squared_norm(x, total):
    return {"total": total + (x * x).sum()}
