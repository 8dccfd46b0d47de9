"""Shared pieces of floating-point rows: flush to zero, saturation, exact narrow formats."""

from __future__ import annotations

from typing import Any

from ..emit import Val

_SMALLEST_NORMAL = {"f32": 0x00800000, "f16": 0x0400, "f16x2": 0x04000400, "f64": 0x0010000000000000}


def flush(e: Any, a: Val) -> Val:
    """Subnormals to zero of the same sign (`.ftz`)."""
    kind = a.kind
    size = e.intrinsic("fabs", kind, a)
    smallest = e.const(_SMALLEST_NORMAL[kind], kind)
    tiny = e.op("fcmp olt {T} {a}, {b}", kind, size, smallest, out="pred")
    zero = e.intrinsic("copysign", kind, e.const(0, kind), a)
    return e.select(tiny, zero, a)


def saturate(e: Any, a: Val) -> Val:
    """Clamp to [0, 1]; NaN becomes 0."""
    one = {"f32": 0x3F800000, "f64": 0x3FF0000000000000, "f16": 0x3C00}[a.kind]
    low = e.intrinsic("maximumnum", a.kind, a, e.const(0, a.kind))
    return e.intrinsic("minimumnum", a.kind, low, e.const(one, a.kind))


def to_odd_f32(e: Any, a: Val) -> Val:
    """f64 -> f32 rounded to odd, so that a second rounding to a narrower format is exact."""
    near = e.op("fptrunc {T} {a} to {D}", "f64", a, out="f32")
    back = e.op("fpext {T} {a} to {D}", "f32", near, out="f64")
    exact = e.op("fcmp ueq {T} {a}, {b}", "f64", back, a, out="pred")
    bits = e.cast(near, "b32")
    above = e.op(
        "fcmp ogt {T} {a}, {b}", "f64", e.intrinsic("fabs", "f64", back), e.intrinsic("fabs", "f64", a), out="pred"
    )
    lower = e.op("sub {T} {a}, {b}", "b32", bits, e.const(1, "b32"))
    toward = e.op("or {T} {a}, {b}", "b32", e.select(above, lower, bits), e.const(1, "b32"))
    return e.cast(e.select(exact, bits, toward), "f32")


def narrow(e: Any, a: Val, kind: str) -> Val:
    """f64 or f32 to `kind` (f32, f16, bf16 as bits), rounded to nearest even once."""
    if a.kind == kind:
        return a
    if kind == "f32":
        return e.op("fptrunc {T} {a} to {D}", "f64", a, out="f32")
    single = to_odd_f32(e, a) if a.kind == "f64" else a
    if kind == "f16":
        return e.op("fptrunc {T} {a} to {D}", "f32", single, out="f16")
    assert kind == "bf16", kind
    bits = e.cast(single, "b32")
    low = e.op("lshr {T} {a}, {b}", "b32", bits, e.const(16, "b32"))
    odd = e.op("and {T} {a}, {b}", "b32", low, e.const(1, "b32"))
    bias = e.op("add {T} {a}, {b}", "b32", odd, e.const(0x7FFF, "b32"))
    rounded = e.op("add {T} {a}, {b}", "b32", bits, bias)
    nan = e.op("fcmp uno {T} {a}, {b}", "f32", single, single, out="pred")
    chosen = e.select(nan, e.const(0x7FFF0000, "b32"), rounded)
    high = e.op("lshr {T} {a}, {b}", "b32", chosen, e.const(16, "b32"))
    return Val(e.resize(high, "b16").name, "bf16", high.uniform)


def widen(e: Any, a: Val, kind: str) -> Val:
    """f16, bf16 (bits) or f32 to the wider `kind`; exact."""
    if a.kind == kind:
        return a
    if a.kind == "bf16":
        bits = e.resize(Val(a.name, "b16", a.uniform), "b32")
        single = e.cast(e.op("shl {T} {a}, {b}", "b32", bits, e.const(16, "b32")), "f32")
        return widen(e, single, kind)
    return e.op("fpext {T} {a} to {D}", a.kind, a, out=kind)


def halves(e: Any, a: Val, kind: str) -> tuple[Val, Val]:
    """Low and high element of a packed register as `kind` (f16 or bf16)."""
    bits = e.cast(a, "b32")
    low = e.resize(bits, "b16")
    high = e.resize(e.op("lshr {T} {a}, {b}", "b32", bits, e.const(16, "b32")), "b16")
    return tuple(Val(x.name, kind, x.uniform) if kind == "bf16" else e.cast(x, kind) for x in (low, high))  # type: ignore[return-value]


def pack(e: Any, low: Val, high: Val) -> Val:
    """Two 16-bit values into one 32-bit register."""
    low, high = (e.resize(Val(x.name, "b16", x.uniform) if x.kind == "bf16" else e.cast(x, "b16"), "b32") for x in (low, high))
    return e.op("or {T} {a}, {b}", "b32", low, e.op("shl {T} {a}, {b}", "b32", high, e.const(16, "b32")))
