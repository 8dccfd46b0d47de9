"""Number formats: raw register bits <-> values, and rounding that is right to the last bit.

A register's content is an unsigned 64-bit word per lane. Floats of up to 32 bits are computed as float64 pairs
(h, l) whose exact sum is the mathematical result; `narrow` then rounds once. Rounding the pair to odd first makes
the second rounding harmless, because float64 carries more than two bits beyond every narrower format.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from warpgauge.ptx import TYPE_BYTES

Words = np.ndarray  # uint64, one per lane
Values = np.ndarray  # float64 or int64 / uint64, one per lane

PRECISION = {"f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022)}  # bits, least exponent
LARGEST = {"f16": 65504.0, "bf16": (2 - 2.0**-7) * 2.0**127, "f32": (2 - 2.0**-23) * 2.0**127}
CANONICAL_NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8000000000000}
HALVES = {"f16x2": "f16", "bf16x2": "bf16", "u16x2": "u16", "s16x2": "s16"}


def is_float(kind: str) -> bool:
    return kind in PRECISION


def mask_of(kind: str) -> np.uint64:
    return np.uint64((1 << 8 * TYPE_BYTES[kind]) - 1)


def integers(raw: Words, kind: str) -> Values:
    """Signed types as int64, all others as uint64."""
    if kind[0] == "s":
        shift = np.int64(64 - 8 * TYPE_BYTES[kind])
        return (raw << shift.astype(np.uint64)).view(np.int64) >> shift
    return raw & mask_of(kind)


def words(values: Values, kind: str) -> Words:
    """Integers modulo 2**bits."""
    return (
        values.astype(np.int64).view(np.uint64) & mask_of(kind) if values.dtype != np.uint64 else values & mask_of(kind)
    )


def from_list(values: list[int], kind: str) -> Words:
    """Python integers of any size, modulo 2**bits."""
    limit = (1 << 8 * TYPE_BYTES[kind]) - 1
    return np.array([v & limit for v in values], dtype=np.uint64)


def floats(raw: Words, kind: str) -> Values:
    if kind == "f64":
        return raw.view(np.float64)
    if kind == "bf16":
        return (raw.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    if kind == "f16":
        return raw.astype(np.uint16).view(np.float16).astype(np.float64)
    return raw.astype(np.uint32).view(np.float32).astype(np.float64)


def pack(values: Values, kind: str) -> Words:
    """float64 values that the format holds exactly -> bits; NaN becomes the canonical one."""
    if kind == "f64":
        raw = values.view(np.uint64)
    elif kind == "bf16":
        raw = values.astype(np.float32).view(np.uint32).astype(np.uint64) >> np.uint64(16)
    elif kind == "f16":
        raw = values.astype(np.float16).view(np.uint16).astype(np.uint64)
    else:
        raw = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return np.where(np.isnan(values), np.uint64(CANONICAL_NAN[kind]), raw)


def flush(values: Values, kind: str) -> Values:
    """Subnormals of the format become zeros of their sign."""
    tiny = np.abs(values) < 2.0 ** PRECISION[kind][1]
    return np.where(tiny, np.copysign(0.0, values), values)


def two_sum(a: Values, b: Values) -> tuple[Values, Values]:
    """h = fl(a + b) and the exact rest."""
    h = a + b
    t = h - a
    rest = (a - (h - t)) + (b - t)
    return h, np.where(np.isfinite(h), rest, 0.0)


def two_product(a: Values, b: Values) -> tuple[Values, Values]:
    """h = fl(a * b) and the exact rest, by splitting; valid while nothing over- or underflows."""
    h = a * b
    ca, cb = a * 134217729.0, b * 134217729.0
    a1, b1 = ca - (ca - a), cb - (cb - b)
    a2, b2 = a - a1, b - b1
    return h, a2 * b2 - (((h - a1 * b1) - a2 * b1) - a1 * b2)


def to_odd(h: Values, rest: Values) -> Values:
    """h + rest rounded to odd: an inexact result takes the neighbour whose last bit is set."""
    bits = h.view(np.int64) if h.flags.c_contiguous else np.ascontiguousarray(h).view(np.int64)
    outward = np.where((rest > 0) == (h > 0), np.int64(1), np.int64(-1))
    move = (rest != 0) & (bits & 1 == 0) & np.isfinite(h) & (h != 0)
    return (bits + np.where(move, outward, 0)).view(np.float64)


ROUND: dict[str, Callable[[Values], Values]] = {"rn": np.rint, "rz": np.trunc, "rm": np.floor, "rp": np.ceil}


def narrow(x: Values, kind: str, mode: str = "rn", *, ftz: bool = False) -> Values:
    """x rounded to the format (not f64) in the given mode, as float64.

    With `ftz` a result becomes zero if, rounded as though exponents had no lower end, it lies below the least
    normal number (so hardware does it: what rounds up to that number stays).
    """
    if ftz:
        y, free = _rounded(x, kind, mode, PRECISION[kind][1]), _rounded(x, kind, mode, -1000)
        return np.where(np.abs(free) < 2.0 ** PRECISION[kind][1], np.copysign(0.0, x), y)
    return _rounded(x, kind, mode, PRECISION[kind][1])


def _rounded(x: Values, kind: str, mode: str, least: int) -> Values:
    precision = PRECISION[kind][0]
    exponent = np.maximum(np.frexp(x)[1] - 1, least) - (precision - 1)
    y = np.ldexp(ROUND[mode](np.ldexp(x, -exponent)), exponent)
    y = np.where(np.isfinite(x), y, x)
    over = (np.abs(y) > LARGEST[kind]) & np.isfinite(x)
    stays = {"rn": np.zeros(x.shape, bool), "rz": np.ones(x.shape, bool), "rm": x > 0, "rp": x < 0}[mode]
    y = np.where(over, np.copysign(np.where(stays, LARGEST[kind], np.inf), x), y)
    return np.copysign(y, x)


def step(y: Values, direction: Values) -> Values:
    """The float64 neighbour of y towards +inf (direction > 0) or -inf (< 0); y where direction is 0."""
    return np.where(direction == 0, y, np.nextafter(y, np.where(direction > 0, np.inf, -np.inf)))


def directed(y: Values, rest: Values, mode: str) -> Values:
    """float64: from the nearest value y and the sign of (exact - y) to the value the mode asks for."""
    if mode == "rn":
        return y
    down = (rest < 0) & ((mode == "rm") | ((mode == "rz") & (y > 0)))
    up = (rest > 0) & ((mode == "rp") | ((mode == "rz") & (y < 0)))
    return step(y, np.where(down, -1.0, np.where(up, 1.0, 0.0)))


def as_fraction(x: float) -> Fraction | None:
    return Fraction(x) if np.isfinite(x) else None


def nearest(exact: Fraction, zero: float) -> float:
    """A fraction as the nearest float64 (CPython divides integers correctly rounded); `zero` gives 0's sign."""
    if not exact:
        return zero
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")


def sign_of_rest(exact: Fraction, y: float) -> float:
    """Sign of exact - y, where an infinite y stands beyond every finite number."""
    if np.isinf(y):
        return -1.0 if y > 0 else 1.0
    rest = exact - Fraction(y)
    return float((rest > 0) - (rest < 0))
