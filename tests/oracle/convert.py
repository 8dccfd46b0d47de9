"""cvt: between integers, between floats, and across."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Instruction

from . import formats
from .floating import finish, mode_of
from .formats import Values, Words
from .integer import each, limits
from .rows import ValueOp

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
    """To ten fraction bits, on the size as an integer: cut, to nearest even, or to nearest with ties away from zero."""
    step, top = 1 << 13, 0x7F800000

    def one(v: int) -> int:
        sign, size = v & 0x80000000, v & 0x7FFFFFFF
        if "relu" in i.modifiers and sign and size <= top:
            return 0
        if size > top:
            return v
        if size < top and "rz" not in i.modifiers:
            part, size = size % step, size - size % step
            up = part > step // 2 or (part == step // 2 and ("rna" in i.modifiers or bool(size & step)))
            size += step * up
        size -= size % step
        return sign | (min(size, top - step) if "satfinite" in i.modifiers else size)

    def function(a: Words) -> Words:
        return np.array([one(v) for v in a.tolist()], np.uint64)

    return ValueOp(("f32",), ("b32",), function)


def packed_integers(i: Instruction) -> ValueOp:
    """cvt.pack.sat: b in the low part, a above it, both clamped; for bytes c's low half on top."""
    to = i.types[0]
    low, high = limits(to)
    bits = 8 * TYPE_BYTES[to]

    def one(a: int, b: int, c: int = 0) -> int:
        first, second = (min(max(v, low), high) & ((1 << bits) - 1) for v in (a, b))
        return (c << 2 * bits | first << bits | second) & 0xFFFFFFFF

    def function(*raw: Words) -> Words:
        signed = [formats.integers(r, "s32").tolist() for r in raw[:2]]
        rest = [r.tolist() for r in raw[2:]]
        return np.array([one(*v) for v in zip(*signed, *rest, strict=True)], np.uint64)

    return ValueOp(("s32", "s32", "b32")[: 3 if bits == 8 else 2], ("b32",), function)


# Per byte format: fraction bits, least normal exponent, byte of the largest number.
BYTES = {"e4m3x2": (3, -6, 0x7E), "e5m2x2": (2, -14, 0x7B)}


def byte_values(kind: str) -> list[float]:
    """What each byte of a format stands for; the sizes above the largest number are infinity or NaN."""
    fraction, least, largest = BYTES[kind]
    out = []
    for byte in range(256):
        exponent, part = (byte & 127) >> fraction, byte & ((1 << fraction) - 1)
        size = part * 2.0 ** (least - fraction)
        if exponent:
            size = ((1 << fraction) + part) * 2.0 ** (exponent - 1 + least - fraction)
        if (byte & 127) > largest:
            size = float("inf") if byte & 127 == largest + 1 < 127 else float("nan")
        out.append(-size if byte & 128 else size)
    return out


def to_bytes(i: Instruction, kind: str, source: str) -> ValueOp:
    """The nearest number of the format, of two equally near the even byte; none lies beyond the largest."""
    largest = BYTES[kind][2]
    sizes = byte_values(kind)[: largest + 1]

    def one(value: float) -> int:
        if "relu" in i.modifiers and value <= 0:
            return 0
        if value != value:
            return 127
        byte = min(range(largest + 1), key=lambda n: (abs(sizes[n] - min(abs(value), 1e6)), n & 1))
        return byte | (128 if np.copysign(1.0, value) < 0 else 0)

    def words(values: np.ndarray) -> np.ndarray:
        return np.array([one(float(v)) for v in values], np.uint64)

    def two(a: Words, b: Words) -> Words:
        return words(formats.floats(a, source)) << np.uint64(8) | words(formats.floats(b, source))

    def pair(a: Words) -> Words:
        return two(a >> np.uint64(16), a & np.uint64(0xFFFF))

    return ValueOp(("f32", "f32"), ("b16",), two) if source == "f32" else ValueOp(("b32",), ("b16",), pair)


def from_bytes(i: Instruction, kind: str) -> ValueOp:
    values = np.array(byte_values(kind))
    if "relu" in i.modifiers:
        values = np.where(np.isnan(values) | (values > 0), values, 0.0)
    halves = formats.pack(values, "f16")

    def function(a: Words) -> Words:
        low, high = (halves[(a >> np.uint64(at) & np.uint64(255)).astype(np.int64)] for at in (0, 8))
        return low | high << np.uint64(16)

    return ValueOp(("b16",), ("b32",), function)


def convert(i: Instruction) -> ValueOp:
    result, kind = i.types[-2:]
    if "pack" in i.modifiers:
        return packed_integers(i)
    if result in BYTES:
        return to_bytes(i, result, "f32" if kind == "f32" else "f16")
    if kind in BYTES:
        return from_bytes(i, kind)
    if result == "tf32":
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
