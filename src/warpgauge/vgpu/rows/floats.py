"""Shared pieces of floating-point rows: flush to zero, clamps, widening, packed halves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warpgauge.ptx import Instruction

from ..emit import Val
from .rounding import narrow

# Least normal number; a power of two that lifts results out of the subnormal range; the least normal number, lifted.
_NORMAL = {"f32": 0x00800000, "f16": 0x0400}
_LIFT = {"f32": {"f32": 0x5F800000, "f64": 0x43F0000000000000}, "f16": {"f32": 0x44800000, "f64": 0x4090000000000000}}
_LIFTED = {"f32": 0x20800000, "f16": 0x2C00}
_LIFTED_OPERANDS = {"fmul": (0,), "fdiv": (0,), "fma": (0, 2)}


def below(e: Any, a: Val, limit: int) -> Val:
    return e.op("fcmp olt {T} {a}, {b}", a.kind, e.intrinsic("fabs", a.kind, a), e.const(limit, a.kind), out="pred")


def _zero_where(e: Any, tiny: Val, a: Val) -> Val:
    return e.select(tiny, e.intrinsic("copysign", a.kind, e.const(0, a.kind), a), a)


def flush(e: Any, a: Val) -> Val:
    """Subnormals to zero of the same sign (`.ftz`)."""
    if a.kind != "bf16":
        return _zero_where(e, below(e, a, _NORMAL[a.kind]), a)
    exponent = e.op("and {T} {a}, {b}", "bf16", a, e.const(0x7F80, "bf16"))
    tiny = e.op("icmp eq {T} {a}, {b}", "bf16", exponent, e.const(0, "bf16"), out="pred")
    return e.select(tiny, e.op("and {T} {a}, {b}", "bf16", a, e.const(0x8000, "bf16")), a)


def _lift(e: Any, a: Val, kind: str) -> Val:
    return e.op("fmul {T} {a}, {b}", a.kind, a, e.const(_LIFT[kind][a.kind], a.kind))


def flush_result(e: Any, value: Val, operation: str, compute: Callable[[list[Val]], Val], operands: list[Val]) -> Val:
    """`.ftz` on an f32 result: zero if, rounded as though exponents had no lower end, it is below the least normal.

    So hardware decides: a result that only the subnormal grid rounds up to the least normal number is zero. Lifting
    operands by 2**64 shows that rounding. Tiny sums are exact and need no second look.
    """
    lifted = _LIFTED_OPERANDS.get(operation)
    if lifted is None:
        return flush(e, value)
    free = compute([_lift(e, x, "f32") if n in lifted else x for n, x in enumerate(operands)])
    return _zero_where(e, below(e, free, _LIFTED["f32"]), value)


def narrow_flushed(e: Any, a: Val, kind: str, mode: str = "rn") -> Val:
    """`narrow` to f32 or f16 with `.ftz`, by the same rule."""
    free = narrow(e, _lift(e, a, kind), kind, mode)
    return _zero_where(e, below(e, free, _LIFTED[kind]), narrow(e, a, kind, mode))


def saturate(e: Any, a: Val) -> Val:
    """Clamp to [0, 1]; NaN becomes 0."""
    one = {"f32": 0x3F800000, "f64": 0x3FF0000000000000, "f16": 0x3C00}[a.kind]
    low = e.intrinsic("maximumnum", a.kind, a, e.const(0, a.kind))
    return e.intrinsic("minimumnum", a.kind, low, e.const(one, a.kind))


def relu(e: Any, a: Val) -> Val:
    """Negative numbers to 0; NaN stays."""
    keeps = e.op("fcmp ugt {T} {a}, {b}", a.kind, a, e.const(0, a.kind), out="pred")
    return e.select(keeps, a, e.const(0, a.kind))


def clamp(e: Any, i: Instruction, a: Val) -> Val:
    """What `.sat` and `.relu` ask for. Both commute with rounding, so they may come before it."""
    if "sat" in i.modifiers:
        return saturate(e, a)
    return relu(e, a) if "relu" in i.modifiers else a


def source(e: Any, i: Instruction, operand: Any, kind: str) -> Val:
    """A float operand, flushed as the modifiers ask."""
    value = e.src(operand, kind)
    return flush(e, value) if "ftz" in i.modifiers else value


def widen(e: Any, a: Val, kind: str) -> Val:
    """f16, bf16 (bits) or f32 to the wider `kind`; exact."""
    if a.kind == kind:
        return a
    if a.kind == "bf16":
        bits = e.resize(a, "b32")
        single = e.cast(e.op("shl {T} {a}, {b}", "b32", bits, e.const(16, "b32")), "f32")
        return widen(e, single, kind)
    return e.op("fpext {T} {a} to {D}", a.kind, a, out=kind)


def halves(e: Any, a: Val, kind: str) -> tuple[Val, Val]:
    """Low and high element of a packed register as `kind` (a 16-bit type)."""
    bits = e.cast(a, "b32")
    high = e.op("lshr {T} {a}, {b}", "b32", bits, e.const(16, "b32"))
    return e.cast(e.resize(bits, "b16"), kind), e.cast(e.resize(high, "b16"), kind)


def pack(e: Any, low: Val, high: Val) -> Val:
    """Two 16-bit values into one 32-bit register."""
    low, high = (e.resize(x, "b32") for x in (low, high))
    return e.op("or {T} {a}, {b}", "b32", low, e.op("shl {T} {a}, {b}", "b32", high, e.const(16, "b32")))


def per_half(e: Any, i: Instruction, compute: Callable[[list[Val], str], Val]) -> None:
    """Apply `compute(values, kind)` to a scalar half or to both elements of a packed register."""
    kind = i.types[-1]
    single = kind.removesuffix("x2")
    if single == kind:
        e.put(i.operands[0], compute([source(e, i, o, kind) for o in i.operands[1:]], kind))
        return
    pairs = [halves(e, e.src(o, "b32"), single) for o in i.operands[1:]]
    low, high = (compute([flush(e, p[n]) if "ftz" in i.modifiers else p[n] for p in pairs], single) for n in (0, 1))
    e.put(i.operands[0], pack(e, low, high))
