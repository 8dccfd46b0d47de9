"""How far floating-point sums of a tensor core lie from the exact ones, as a share of the stated bound."""

from __future__ import annotations

import numpy as np

from warpgauge.arch import product_error

from .case import Case, split_type
from .tensor import BITS, Form, elements, exact, form, values

ARCH = 90


def form_of(case: Case) -> Form:
    """The product that a case of `table_tensor` is about."""
    (line,) = [line for line in case.body if line.startswith("mma.")]
    return form(tuple(line.split(" ")[0].split(".")[1:]))


def _registers(buffer: np.ndarray, count: int) -> np.ndarray:
    """(warps, registers, lanes) of a buffer that holds each thread's registers one after the other."""
    return buffer.astype(np.uint64).reshape(-1, 32, count).transpose(0, 2, 1)


def worst_error(case: Case, given: dict[str, np.ndarray], answered: np.ndarray) -> float:
    """max |D - exact| / (bound * (|A| |B| + |C|)) over all elements of `answered`; NaN if one is no number."""
    f = form_of(case)
    inputs = [
        _registers(given[name], split_type(kind)[1]) for name, (kind, _) in zip("abc", case.operands, strict=True)
    ]
    results = _registers(answered, split_type(case.output)[1])
    factor = max(f.a, f.b, key=lambda kind: BITS[kind])
    limit = product_error(ARCH, factor, f.d, f.k)
    worst = 0.0
    for warp, result in enumerate(results):
        wanted, size = exact(f, *(x[warp] for x in inputs))
        got = values(elements(result, BITS[f.d]), f.d).T
        share = np.abs(got - wanted) / (limit * size)
        worst = max(worst, float(np.max(share))) if not np.isnan(share).any() else float("nan")
    return worst
