"""Harder inputs than the declared ones: large magnitudes, and values arranged so that sums cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .builtin import BUILTINS
from .builtin_record import Scalars
from .dtypes import DTYPES, Array
from .model import Problem, operands

LARGEST_DRAW = 8.0
"""Draws of N(0, 1) are clipped here, so that a scale can be chosen that no draw overflows."""
RESIDUE = 2.0**-5
"""What is left of a cancelled pair, relative to its members: enough to survive the rounding of every input type."""

Arrangement = Callable[[Sequence[Array], Scalars, np.random.Generator], list[Array]]


def large_scale(problem: Problem, dims: Mapping[str, int]) -> float:
    """The factor on N(0, 1) inputs that brings outputs near, but not over, what input and output types hold.

    An element sums n terms of degree d in the inputs, so it stays below 8 * growth(n) * scale^d (8^d * scale^d for few
    terms): growth is n for types with the exponent range of f32, the square root of n (random signs) for narrow ones.
    """
    written = [DTYPES[t.dtype] for t in problem.tensors.values() if t.is_written]
    read = [DTYPES[problem.tensors[name].dtype] for name in operands(problem)]
    read += [DTYPES["f16"]] if problem.tolerance.factors == "f16" else []  # bf16 and tf32 reach as far as f32
    sums = [DTYPES[problem.tolerance.accumulate]] if problem.tolerance.accumulate else []
    highest = min([row.largest for row in written + sums if row.is_float], default=DTYPES["f32"].largest) / 2
    ceiling = min([row.largest for row in read if row.is_float], default=highest) / 2
    # A Python reference says nothing about its growth: assume products over the largest dimension.
    degree, terms = 2, max(dims.values(), default=1)
    if problem.reference and problem.reference.builtin:
        row = BUILTINS[problem.reference.builtin]
        degree, terms = row.degree, row.terms([problem.layout(name, dims).shape for name in operands(problem)])
    growth = terms if highest > 1e30 else terms**0.5
    reach = max(LARGEST_DRAW * growth, LARGEST_DRAW**degree)
    return float(min((highest / reach) ** (1 / degree), ceiling / LARGEST_DRAW))


def _pairs(length: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Two disjoint halves of the positions, at random: neighbours would cancel before any rounding."""
    order = rng.permutation(length)
    half = length // 2
    return order[:half], order[half : 2 * half]


def _residue(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    return RESIDUE * rng.standard_normal(shape)


def _products(x: Sequence[Array], scalars: Scalars, rng: np.random.Generator) -> list[Array]:
    """Equal columns of A against rows of B that are nearly each other's negative."""
    a, b = x[0].copy(), x[1].copy()
    along = np.moveaxis(b, max(b.ndim - 2, 0), 0)
    first, second = _pairs(a.shape[-1], rng)
    a[..., second] = a[..., first]
    along[second] = -along[first] + _residue(along[second].shape, rng)
    return [a, b, *x[2:]]


def _dot(x: Sequence[Array], scalars: Scalars, rng: np.random.Generator) -> list[Array]:
    a, b = _products([x[0].reshape(-1), x[1].reshape(-1)], scalars, rng)
    return [a.reshape(x[0].shape), b.reshape(x[1].shape)]


def _along_rows(x: Sequence[Array], scalars: Scalars, rng: np.random.Generator) -> list[Array]:
    values = x[0].copy()
    first, second = _pairs(values.shape[-1], rng)
    values[..., second] = -values[..., first] + _residue(values[..., second].shape, rng)
    return [values, *x[1:]]


def _everywhere(x: Sequence[Array], scalars: Scalars, rng: np.random.Generator) -> list[Array]:
    return [_along_rows([x[0].reshape(-1)], scalars, rng)[0].reshape(x[0].shape), *x[1:]]


def _oppose(x: Sequence[Array], scalars: Scalars, rng: np.random.Generator) -> list[Array]:
    return [x[0], -scalars.get("alpha", 1.0) * x[0] + _residue(x[0].shape, rng)]


def _level(x: Sequence[Array], scalars: Scalars, rng: np.random.Generator) -> list[Array]:
    return [1 + _residue(x[0].shape, rng)]


ARRANGEMENTS: Mapping[str, Arrangement] = {
    "products": _products,
    "dot": _dot,
    "rows": _along_rows,
    "all": _everywhere,
    "oppose": _oppose,
    "level": _level,
}
