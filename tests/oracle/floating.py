"""Floating-point arithmetic: add, sub, mul, fma, div, rcp, sqrt, min, max, abs, neg, copysign and approximations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from warpgauge.ptx import Instruction

from . import formats
from .formats import Values, Words
from .rows import ValueOp, halves

Pairs = Callable[..., tuple[Values, Values]]


def mode_of(i: Instruction) -> str:
    return next((m for m in i.modifiers if m in formats.ROUND), "rn")


def finish(i: Instruction, values: Values, kind: str) -> Words:
    """Flush, clamp and pack a rounded result as the modifiers ask."""
    if "ftz" in i.modifiers:
        values = formats.flush(values, kind)
    if "sat" in i.modifiers:
        values = np.where(values > 0, np.minimum(values, 1.0), 0.0)
    if "relu" in i.modifiers:
        values = np.where(values > 0, values, np.where(np.isnan(values), values, 0.0))
    return formats.pack(values, kind)


def _operands(i: Instruction, kind: str, raw: tuple[Words, ...]) -> list[Values]:
    out = [formats.floats(r, kind) for r in raw]
    return [formats.flush(x, kind) for x in out] if "ftz" in i.modifiers else out


def _sum(a: Values, b: Values) -> tuple[Values, Values]:
    return formats.two_sum(a, b)


def _quotient(a: Values, b: Values) -> tuple[Values, Values]:
    q = a / b
    product, rest = formats.two_product(q, b)
    left = ((a - product) - rest) * np.sign(b)
    return q, np.where(np.isfinite(q) & np.isfinite(b), left, 0.0)


def _root(a: Values) -> tuple[Values, Values]:
    s = np.sqrt(a)
    product, rest = formats.two_product(s, s)
    return s, np.where(np.isfinite(s), (a - product) - rest, 0.0)


# For formats of up to 32 bits: float64 head and exact rest (or a number of the rest's sign).
SHORT: dict[str, Pairs] = {
    "add": _sum,
    "sub": lambda a, b: _sum(a, -b),
    "mul": lambda a, b: (a * b, np.zeros(a.shape)),
    "fma": lambda a, b, c: _sum(a * b, c),
    "div": _quotient,
    "rcp": lambda a: _quotient(np.ones(a.shape), a),
    "sqrt": _root,
}


def _zero_sign(op: str, mode: str, y: Values, rest: Values, operands: list[Values]) -> Values:
    """An exact zero sum of opposite signs is -0 when rounding down, +0 otherwise."""
    if mode != "rm" or op not in ("add", "sub", "fma"):
        return y
    negative = np.signbit(operands[0])
    if op == "fma":
        negative = negative ^ np.signbit(operands[1])
    opposite = negative != (np.signbit(operands[-1]) ^ (op == "sub"))
    return np.where(opposite & (y == 0) & (rest == 0), -0.0, y)


def short(op: str, i: Instruction, kind: str, *raw: Words) -> Words:
    operands = _operands(i, kind, raw)
    mode = mode_of(i)
    head, rest = SHORT[op](*operands)
    exact = formats.to_odd(head, rest)
    y = formats.narrow(exact, kind, mode, ftz="ftz" in i.modifiers)
    return finish(i, _zero_sign(op, mode, y, exact, operands), kind)


# float64: nearest value by IEEE hardware (or exact fractions), and the exact result as a fraction.
NEAREST: dict[str, Callable[..., Values]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rcp": lambda a: 1.0 / a,
    "sqrt": np.sqrt,
    "fma": lambda a, b, c: fma64(a, b, c),
}
EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rcp": lambda a: 1 / a,
    "fma": lambda a, b, c: a * b + c,
}


def _rest_sign(op: str, y: float, operands: tuple[float, ...]) -> float:
    """Sign of (exact result - y); 0 where an operand is not finite or the operation has no finite result."""
    parts = [formats.as_fraction(x) for x in operands]
    if any(p is None for p in parts) or np.isnan(y):
        return 0.0
    if op == "sqrt":
        square = Fraction(y) ** 2
        return float((parts[0] > square) - (parts[0] < square))  # type: ignore[operator]
    if op in ("div", "rcp") and not parts[-1]:
        return 0.0
    return formats.sign_of_rest(EXACT[op](*parts), y)


def long(op: str, i: Instruction, kind: str, *raw: Words) -> Words:
    operands = [formats.floats(r, kind) for r in raw]
    mode = mode_of(i)
    y = NEAREST[op](*operands)
    if mode != "rn":
        rest = np.array([_rest_sign(op, float(v), tuple(float(o[n]) for o in operands)) for n, v in enumerate(y)])
        y = _zero_sign(op, mode, formats.directed(y, rest, mode), rest, operands)
    return finish(i, y, kind)


def fma64(a: Values, b: Values, c: Values) -> Values:
    """a * b + c rounded once: two exact transformations and a rounding to odd (Boldo and Melquiond).

    Lanes whose exponents come near the ends of the range, where those transformations break, use fractions.
    """
    product, low = formats.two_product(a, b)
    t1, t2 = formats.two_sum(c, low)
    v1, v2 = formats.two_sum(product, t1)
    head, rest = formats.two_sum(t2, v2)
    y = v1 + formats.to_odd(head, rest)
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    y = np.where(finite, y, np.where(np.isinf(c) & np.isfinite(a) & np.isfinite(b), c, a * b + c))
    span = np.stack([np.abs(np.frexp(x)[1]) for x in (a, b, c, product)])
    hard = finite & ((span > 400).any(axis=0) | (a == 0) | (b == 0) | (c == 0) | (y == 0))
    for n in np.nonzero(hard)[0]:
        x, p = float(c[n]), float(a[n]) * float(b[n])
        zero = -0.0 if np.signbit(x) and (np.signbit(a[n]) != np.signbit(b[n])) else 0.0
        exact = Fraction(float(a[n])) * Fraction(float(b[n])) + Fraction(x)
        y[n] = formats.nearest(exact, zero) if exact or x == 0 or p != 0 else x
    return y


def smaller_or_larger(i: Instruction, kind: str, a: Words, b: Words) -> Words:
    """min and max: a number wins over NaN (unless .NaN), and -0 counts as less than +0."""
    x, y = _operands(i, kind, (a, b))
    sign = np.signbit(x) ^ np.signbit(y)
    if "abs" in i.modifiers:
        x, y = np.abs(x), np.abs(y)
    lesser = (x < y) | ((x == y) & np.signbit(x))
    value = np.where(lesser, x, y) if i.opcode == "min" else np.where(lesser, y, x)
    value = np.where(np.isnan(x), y, np.where(np.isnan(y), x, value))
    if "NaN" in i.modifiers:
        value = np.where(np.isnan(x) | np.isnan(y), np.nan, value)
    if "xorsign" in i.modifiers:
        value = np.where(np.isnan(value), value, np.where(sign, -value, value))
    return finish(i, value, kind)


def _sign_op(function: Callable[[Values], Values]) -> Callable[..., Words]:
    def apply(i: Instruction, kind: str, a: Words) -> Words:
        return formats.pack(function(_operands(i, kind, (a,))[0]), kind)

    return apply


def copysign(i: Instruction, kind: str, a: Words, b: Words) -> Words:
    top = np.uint64(1 << (63 if kind == "f64" else 31))
    return (a & top) | (b & ~top & formats.mask_of(kind))


# Defined by error bounds only; here the float64 value, rounded.
SMOOTH: dict[str, Callable[..., Values]] = {
    "rcp": lambda x: 1.0 / x,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "div": lambda x, y: x / y,
}


def smooth(i: Instruction, kind: str, *raw: Words) -> Words:
    given = _operands(i, kind, raw)
    if "2pi" in i.modifiers:
        given = [2 * np.pi * np.fmod(x, 1.0) for x in given]
    y = SMOOTH[i.opcode](*given)
    return finish(i, y if kind == "f64" else formats.narrow(y, kind), kind)


def float_row(i: Instruction) -> ValueOp:
    """The function for a floating-point instruction of a row below."""
    kind = i.types[-1]
    scalar = "f32" if kind == "f32x2" else formats.HALVES.get(kind, kind)
    if "approx" in i.modifiers or "full" in i.modifiers:
        chosen: Callable[..., Words] = smooth
    elif i.opcode in ("min", "max"):
        chosen = smaller_or_larger
    elif i.opcode in SIGNS:
        chosen = SIGNS[i.opcode]
    else:
        op = "fma" if i.opcode == "mad" else i.opcode
        base = long if scalar == "f64" else short

        def chosen(i: Instruction, kind: str, *raw: Words) -> Words:
            return base(op, i, kind, *raw)

    def function(*raw: Words) -> Words:
        return chosen(i, scalar, *raw)

    def pairs(*raw: Words) -> Words:
        low, high = (function(*(r >> shift & np.uint64(0xFFFFFFFF) for r in raw)) for shift in np.uint64([0, 32]))
        return low | high << np.uint64(32)

    arity = len(i.operands) - 1
    if kind == "f32x2":
        return ValueOp((kind,) * arity, (kind,), pairs)
    return ValueOp((kind,) * arity, (kind,), halves(function) if scalar != kind else function)


SIGNS = {"abs": _sign_op(np.abs), "neg": _sign_op(np.negative), "copysign": copysign}
OPCODES = (
    "add", "sub", "mul", "mad", "fma", "div", "rcp", "sqrt", "rsqrt", "min", "max", "abs", "neg", "copysign", "ex2",
    "lg2", "sin", "cos", "tanh",
)  # fmt: skip
