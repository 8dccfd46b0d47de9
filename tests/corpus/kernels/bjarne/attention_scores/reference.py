def attention_scores(q, k):
    return q @ k.T / 8.0
