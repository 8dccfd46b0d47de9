"""Which shapes a builtin reference accepts: each function says what does not fit, "" if all does."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .builtin_record import Shape


def same_shape(shapes: Sequence[Shape], output: Shape) -> str:
    return "" if all(shape == output for shape in shapes) else f"operands and the output {list(output)} differ in shape"


def matmul(shapes: Sequence[Shape], output: Shape) -> str:
    a, b = shapes[0], shapes[1]
    if min(len(a), len(b), len(output)) < 2 or a[:-2] != output[:-2] or b[:-2] != output[:-2]:
        return "matrices of the same batch are needed"
    if a[-1] != b[-2] or output[-2:] != (a[-2], b[-1]):
        return f"[M, K] x [K, N] does not give the output {list(output)}"
    return "" if len(shapes) == 2 or shapes[2] == output else "C and the output differ in shape"


def transpose(shapes: Sequence[Shape], output: Shape) -> str:
    a = shapes[0]
    swapped = (*a[:-2], a[-1], a[-2]) if len(a) >= 2 else None
    return "" if swapped == output else f"the output {list(output)} is not the operand with its last two axes swapped"


def scalar(shapes: Sequence[Shape], output: Shape) -> str:
    rest = [shape for shape in shapes[1:] if prod(shape) != 1]
    return "" if prod(output) == 1 and not rest else f"one output element is needed, not {list(output)}"


def dot(shapes: Sequence[Shape], output: Shape) -> str:
    return "operands differ in shape" if shapes[0] != shapes[1] else scalar(shapes[:1], output)


def row(shapes: Sequence[Shape], output: Shape) -> str:
    a = shapes[0]
    fits = len(a) >= 1 and output in (a[:-1], (*a[:-1], 1))
    return "" if fits else f"the output {list(output)} is not the operand without its last axis"


def matvec(shapes: Sequence[Shape], output: Shape) -> str:
    a, x = shapes
    return "" if len(a) == 2 and x == (a[1],) and output == (a[0],) else "[M, K] x [K] gives [M]"


def rows(shapes: Sequence[Shape], output: Shape) -> str:
    return same_shape(shapes, output) or ("" if output else "rows are needed, not a single number")


def layernorm(shapes: Sequence[Shape], output: Shape) -> str:
    if problem := rows(shapes[:1], output):
        return problem
    return "" if all(s == output[-1:] for s in shapes[1:]) else "scale and shift have the length of a row"


def histogram(shapes: Sequence[Shape], output: Shape) -> str:
    if len(output) != 1:
        return "the output is one row of bins"
    return "" if all(shape == output for shape in shapes[1:]) else "initial counts and the output differ in shape"


def stencil(shapes: Sequence[Shape], output: Shape) -> str:
    return same_shape(shapes, output) or ("" if len(output) == 2 else "a two-dimensional grid is needed")
