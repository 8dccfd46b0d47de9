"""The computations of the builtin references, in float64 or exact integers.

Each gives the value and what its error bound is made of. For a sum of terms, however it is ordered, the computed value
is within gamma(n) * (sum of the terms' magnitudes) of the true one, where n counts the roundings a term can go through
(Higham, "Accuracy and Stability of Numerical Algorithms", chapters 3 and 4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .builtin_record import Compute, Derived, Scalars, Shape
from .dtypes import Array


def product(a: Array, b: Array) -> Array:
    """Matrix product: float64 as it is; integers exactly modulo 2^64, through float64 where that is exact."""
    if a.dtype.kind == "f" or not a.size or not b.size:
        return a @ b
    largest = float(np.abs(a.astype(np.float64)).max()) * float(np.abs(b.astype(np.float64)).max())
    if largest * a.shape[-1] < 2.0**53:
        return np.rint(a.astype(np.float64) @ b.astype(np.float64)).astype(a.dtype)
    return a @ b


def _magnitude(a: Array) -> Array:
    return np.abs(a) if a.dtype.kind == "f" else a


def matmul(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    return Derived(product(x[0], x[1]), product(_magnitude(x[0]), _magnitude(x[1])), max(x[0].shape[-1], 1))


def _scaled(a: Array, factor: float) -> Array:
    # Integers stay exact integers as long as the factor is whole.
    return a * np.int64(factor) if a.dtype.kind != "f" and factor == int(factor) else a * factor


def gemm(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    value = _scaled(product(x[0], x[1]), s["alpha"])
    magnitude = _scaled(product(_magnitude(x[0]), _magnitude(x[1])), abs(s["alpha"]))
    if len(x) == 3 and s["beta"] != 0:
        value, magnitude = value + _scaled(x[2], s["beta"]), magnitude + _scaled(_magnitude(x[2]), abs(s["beta"]))
    # Beside the K of the product: alpha and beta are rounded, each multiplies once, and the two parts are added.
    return Derived(value, magnitude, x[0].shape[-1] + 3)


def vec_add(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    return Derived(x[0] + x[1], _magnitude(x[0]) + _magnitude(x[1]), 1)


def vec_mul(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    value = x[0] * x[1]
    return Derived(value, _magnitude(value), 1)


def axpy(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    term = _scaled(x[0], s["alpha"])
    return Derived(term + x[1], _magnitude(term) + _magnitude(x[1]), 3)


def scale(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    term = _scaled(x[0], s["alpha"])
    return Derived(term, _magnitude(term), 2)


def exact(function: Callable[[Array], Array]) -> Compute:
    def compute(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
        value = np.ascontiguousarray(function(x[0])).reshape(out)
        return Derived(value, np.zeros_like(value), 0)

    return compute


def total(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    value, magnitude = x[0].sum().reshape(out), _magnitude(x[0]).sum().reshape(out)
    if len(x) == 2:
        value, magnitude = value + x[1].reshape(out), magnitude + _magnitude(x[1]).reshape(out)
    return Derived(value, magnitude, max(x[0].size, 1))


def dot(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    a, b = x[0].reshape(1, -1), x[1].reshape(-1, 1)
    return Derived(product(a, b).reshape(out), product(_magnitude(a), _magnitude(b)).reshape(out), max(a.size, 1))


def row_sum(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    value, magnitude = x[0].sum(axis=-1).reshape(out), _magnitude(x[0]).sum(axis=-1).reshape(out)
    return Derived(value, magnitude, max(x[0].shape[-1], 1))


def matvec(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    a, b = x[0], x[1][:, None]
    value, magnitude = product(a, b), product(_magnitude(a), _magnitude(b))
    return Derived(value.reshape(out), magnitude.reshape(out), max(a.shape[1], 1))


def scan(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    running, magnitude = np.cumsum(x[0], axis=-1), np.cumsum(_magnitude(x[0]), axis=-1)
    return Derived(running, magnitude, max(x[0].shape[-1], 1))


def exclusive_scan(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    whole = scan(x, out, s)
    assert whole.magnitude is not None
    value, magnitude = np.zeros_like(whole.value), np.zeros_like(whole.magnitude)
    value[..., 1:], magnitude[..., 1:] = whole.value[..., :-1], whole.magnitude[..., :-1]
    return Derived(value, magnitude, whole.roundings)


def softmax(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    values = x[0].astype(np.float64)
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    # No bound: it would hang on the accuracy of the exponential that the kernel picks.
    return Derived(powers / powers.sum(axis=-1, keepdims=True), None, 0)


def layernorm(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    values = x[0].astype(np.float64)
    centred = values - values.mean(axis=-1, keepdims=True)
    result = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + s["epsilon"])
    if len(x) > 1:
        result = result * x[1]
    return Derived(result + x[2] if len(x) > 2 else result, None, 0)


def histogram(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    values = x[0].reshape(-1)
    if values.dtype.kind == "f" and (values != np.rint(values)).any():
        raise ValueError("a histogram counts integers")
    if values.size and (values.min() < 0 or values.max() >= out[0]):
        raise ValueError(f"values {values.min()} to {values.max()} do not fit {out[0]} bins")
    counts = np.bincount(values.astype(np.int64), minlength=out[0]).reshape(out)
    counts = counts + x[1] if len(x) == 2 else counts
    return Derived(counts, np.zeros_like(counts), 0)


def stencil(x: Sequence[Array], out: Shape, s: Scalars) -> Derived:
    def neighbours(grid: Array) -> Array:
        edged = np.pad(grid, 1)
        return edged[:-2, 1:-1] + edged[2:, 1:-1] + edged[1:-1, :-2] + edged[1:-1, 2:]

    centre = x[0] * x[0].dtype.type(4)
    size = _magnitude(x[0])
    return Derived(neighbours(x[0]) - centre, neighbours(size) + size * size.dtype.type(4), 5)
