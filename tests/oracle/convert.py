"""cvt: between integers, between floats, and across."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Instruction

from . import formats
from .floating import finish, mode_of
from .formats import Values, Words
from .integer import each, limits
from .rows import Unsupported, ValueOp

INTEGRAL: dict[str, Callable[[Values], Values]] = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def _integral(i: Instruction) -> Callable[[Values], Values] | None:
    return next((INTEGRAL[m] for m in i.modifiers if m in INTEGRAL), None)


def integer_to_integer(i: Instruction, result: str, kind: str) -> ValueOp:
    return ValueOp((kind,), (result,), each(lambda v: v, kind, result, saturate="sat" in i.modifiers))


def float_to_integer(i: Instruction, result: str, kind: str) -> ValueOp:
    """Rounded, then clamped to the target's range. NaN becomes 0, or with a 64-bit side the top bit alone."""
    low, high = limits(result)
    rounding = _integral(i) or np.trunc
    wide = kind == "f64" or TYPE_BYTES[result] == 8
    nan = 1 << (8 * TYPE_BYTES[result] - 1) if wide else 0

    def one(x: float) -> int:
        if np.isnan(x):
            return nan
        if np.isinf(x):
            return high if x > 0 else low
        return min(max(int(x), low), high)

    def function(a: Words) -> Words:
        values = formats.floats(a, kind)
        if "ftz" in i.modifiers:
            values = formats.flush(values, kind)
        return formats.from_list([one(float(x)) for x in rounding(values)], result)

    return ValueOp((kind,), (result,), function)


def integer_to_float(i: Instruction, result: str, kind: str) -> ValueOp:
    mode = mode_of(i)

    def function(a: Words) -> Words:
        exact = formats.integers(a, kind).tolist()
        head = np.array([float(v) for v in exact])
        rest = np.array([float((v > int(h)) - (v < int(h))) for v, h in zip(exact, head.tolist(), strict=True)])
        if result == "f64":
            return finish(i, formats.directed(head, rest, mode), result)
        return finish(i, formats.narrow(formats.to_odd(head, rest), result, mode), result)

    return ValueOp((kind,), (result,), function)


def float_to_float(i: Instruction, result: str, kind: str) -> ValueOp:
    """.ftz concerns f32 only, on whichever side it stands."""
    mode, rounding = mode_of(i), _integral(i)
    ftz = "ftz" in i.modifiers

    def function(a: Words) -> Words:
        values = formats.floats(a, kind)
        if ftz and kind == "f32":
            values = formats.flush(values, "f32")
        if rounding is not None:
            values = np.copysign(rounding(values), values)
        if result != "f64":
            values = formats.narrow(values, result, mode, ftz=ftz and result == "f32")
        if "sat" in i.modifiers:
            values = np.where(values > 0, np.minimum(values, 1.0), 0.0)
        if "relu" in i.modifiers:
            values = np.where(np.isnan(values) | (values > 0), values, 0.0)
        return formats.pack(values, result)

    return ValueOp((kind,), (result,), function)


def two_floats(i: Instruction, result: str) -> ValueOp:
    """cvt.f16x2.f32 d, a, b: a goes to the upper half."""
    part = formats.HALVES[result]
    half = float_to_float(i, part, "f32").function

    def function(a: Words, b: Words) -> Words:
        upper, lower = half(a), half(b)
        assert isinstance(upper, np.ndarray) and isinstance(lower, np.ndarray)
        return (upper << np.uint64(16)) | lower

    return ValueOp(("f32", "f32"), (result,), function)


def to_tf32(i: Instruction) -> ValueOp:
    """Nearest with ties away from zero, to ten fraction bits; the 13 low bits are cleared."""

    def function(a: Words) -> Words:
        special = (a & np.uint64(0x7F800000)) == np.uint64(0x7F800000)
        rounded = (a + np.uint64(0x1000)) & np.uint64(0xFFFFE000)
        return np.where(special, a, rounded)

    return ValueOp(("f32",), ("b32",), function)


def convert(i: Instruction) -> ValueOp:
    result, kind = i.types[-2:]
    if result == "tf32":
        if "rna" not in i.modifiers:
            raise Unsupported(i.text)
        return to_tf32(i)
    if result in ("f16x2", "bf16x2") and kind == "f32":
        return two_floats(i, result)
    to_float, from_float = formats.is_float(result), formats.is_float(kind)
    if to_float and from_float:
        return float_to_float(i, result, kind)
    if to_float:
        return integer_to_float(i, result, kind)
    if from_float:
        return float_to_integer(i, result, kind)
    return integer_to_integer(i, result, kind)


ROWS: dict[str, Callable[[Instruction], ValueOp]] = {"cvt": convert}
