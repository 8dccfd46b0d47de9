def rowvar(x):
    return x.var(axis=1)
