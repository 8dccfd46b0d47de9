"""The table of builtin references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from . import builtin_compute as compute
from . import builtin_fits as fits
from .builtin_record import Builtin, Compute, Fits, Shape


def _last(shapes: Sequence[Shape]) -> int:
    return shapes[0][-1]


def _all(shapes: Sequence[Shape]) -> int:
    return prod(shapes[0])


def _two(shapes: Sequence[Shape]) -> int:
    return 2


_AB = ("A [M, K]", "B [K, N]")
_PRODUCTS = {"degree": 2, "terms": _last, "cancel": "products", "arranged": 2}


def _row(name: str, operands: tuple[str, ...], fits: Fits, compute: Compute, **more: Any) -> Builtin:
    return Builtin(name, operands, fits, compute, **more)


_ROWS = (
    _row("matmul", _AB, fits.matmul, compute.matmul, **_PRODUCTS),
    _row(
        "gemm",
        (*_AB, "C [M, N]"),
        fits.matmul,
        compute.gemm,
        optional=1,
        scalars={"alpha": 1.0, "beta": 1.0},
        **_PRODUCTS,
    ),
    _row("matvec", ("A [M, K]", "x [K]"), fits.matvec, compute.matvec, **_PRODUCTS),
    _row("dot", ("x", "y"), fits.dot, compute.dot, degree=2, terms=_all, cancel="dot", arranged=2),
    _row("vec_add", ("x", "y"), fits.same_shape, compute.vec_add, terms=_two, cancel="oppose", arranged=2),
    _row("vec_mul", ("x", "y"), fits.same_shape, compute.vec_mul, degree=2),
    _row(
        "axpy",
        ("x", "y"),
        fits.same_shape,
        compute.axpy,
        scalars={"alpha": 1.0},
        terms=_two,
        cancel="oppose",
        arranged=2,
    ),
    _row("scale", ("x",), fits.same_shape, compute.scale, scalars={"alpha": 1.0}),
    _row("copy", ("x",), fits.same_shape, compute.exact(lambda x: x)),
    _row("relu", ("x",), fits.same_shape, compute.exact(lambda x: np.maximum(x, 0))),
    _row("transpose", ("x",), fits.transpose, compute.exact(lambda x: np.swapaxes(x, -1, -2))),
    _row("sum", ("x", "initial value"), fits.scalar, compute.total, optional=1, terms=_all, cancel="all"),
    _row("row_sum", ("x",), fits.row, compute.row_sum, terms=_last, cancel="rows"),
    _row("row_max", ("x",), fits.row, compute.exact(lambda x: x.max(axis=-1))),
    _row("scan", ("x",), fits.rows, compute.scan, terms=_last, cancel="rows"),
    _row("exclusive_scan", ("x",), fits.rows, compute.exclusive_scan, terms=_last, cancel="rows"),
    _row("softmax", ("x",), fits.rows, compute.softmax),
    _row(
        "layernorm",
        ("x", "scale", "shift"),
        fits.layernorm,
        compute.layernorm,
        optional=2,
        scalars={"epsilon": 1e-5},
        degree=2,
        terms=_last,
    ),
    _row("histogram", ("values", "initial counts"), fits.histogram, compute.histogram, optional=1),
    _row("stencil_5", ("grid [H, W]",), fits.stencil, compute.stencil, terms=lambda shapes: 8, cancel="level"),
)
BUILTINS: Mapping[str, Builtin] = {row.name: row for row in _ROWS}
