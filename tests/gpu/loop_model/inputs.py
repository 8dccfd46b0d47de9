"""What the buffers of a variant hold: the same on both machines."""

from __future__ import annotations

import numpy as np

_TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "u32": np.uint32}
_POOL = 1 << 20


def buffer(kind: str, dtype: str, count: int) -> np.ndarray:
    """Random values in (-1, 1), or random words, for "in"; zeros for "out". Large ones repeat a million values."""
    if kind == "out":
        return np.zeros(count, _TYPES[dtype])
    rng = np.random.default_rng(7)
    size = min(count, _POOL)
    if dtype == "u32":
        pool = rng.integers(0, 1 << 32, size, np.uint32)
    else:
        pool = rng.uniform(-1, 1, size).astype(_TYPES[dtype])
    return np.resize(pool, count)
