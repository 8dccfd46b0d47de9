"""Rounding: float arithmetic in any of PTX's four modes, and narrowing to a smaller format with one rounding.

Modes other than to nearest run on the host's own rounding control, inside helper functions that set it and put it back.
"""

from __future__ import annotations

from typing import Any

from ..emit import Val, mangle

MODES = ("rn", "rz", "rm", "rp")
_CONTROL = {"rz": 0, "rn": 1, "rp": 2, "rm": 3}  # arguments of llvm.set.rounding
_PLAIN = {
    "fadd": "fadd {T} {a}, {b}", "fsub": "fsub {T} {a}, {b}", "fmul": "fmul {T} {a}, {b}", "fdiv": "fdiv {T} {a}, {b}",
}  # fmt: skip


def calculate(e: Any, operation: str, mode: str, *values: Val) -> Val:
    """`operation` (fadd, fsub, fmul, fdiv, fma, sqrt) on f32 or f64 values, rounded once in `mode`."""
    kind = values[0].kind
    if mode != "rn":
        return _directed(e, operation, mode, *values)
    if operation in _PLAIN:
        return e.op(_PLAIN[operation], kind, *values)
    return e.intrinsic(operation, kind, *values)


def _directed(e: Any, operation: str, mode: str, *values: Val) -> Val:
    values, uniform = e.same(*values)
    kind, t = values[0].kind, values[0].type
    name = f"{operation}.{mangle(t)}"
    intrinsic = f"llvm.experimental.constrained.{name}"
    types = ", ".join([t] * len(values))
    given = ", ".join(f"{t} %a{n}" for n in range(len(values)))
    e.declare("void @llvm.set.rounding(i32)")
    e.declare(f"{t} @{intrinsic}({types}, metadata, metadata)")
    e.outline(
        f"define internal {t} @rounded.{mode}.{name}({given}) noinline nounwind strictfp {{\n"
        f"  call void @llvm.set.rounding(i32 {_CONTROL[mode]}) strictfp\n"
        f'  %r = call {t} @{intrinsic}({given}, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp\n'
        f"  call void @llvm.set.rounding(i32 {_CONTROL['rn']}) strictfp\n"
        f"  ret {t} %r\n}}"
    )
    arguments = ", ".join(f"{t} {v.name}" for v in values)
    return e.let(f"call {t} @rounded.{mode}.{name}({arguments})", kind, uniform)


def narrow(e: Any, a: Val, kind: str, mode: str = "rn") -> Val:
    """f64 or f32 to `kind` (f32, f16, bf16 as bits), rounded once."""
    if a.kind == kind:
        return a
    if kind == "f32":
        return _shortened(e, a, kind, mode)
    single = _to_odd_f32(e, a) if a.kind == "f64" else a
    return _shortened(e, single, kind, mode) if kind == "f16" else _to_bf16(e, single, mode)


def _outward(e: Any, a: Val, mode: str) -> Val:
    """Where `mode` rounds away from zero."""
    if mode == "rz":
        return e.const(0, "pred")
    test = "olt" if mode == "rm" else "ogt"
    return e.op(f"fcmp {test} {{T}} {{a}}, {{b}}", a.kind, a, e.const(0, a.kind), out="pred")


def _shortened(e: Any, a: Val, kind: str, mode: str) -> Val:
    """The nearest value, moved to its neighbour where it lies on the wrong side of `a`."""
    near = e.op("fptrunc {T} {a} to {D}", a.kind, a, out=kind)
    if mode == "rn":
        return near
    bits = "b32" if kind == "f32" else "b16"
    back = e.op("fpext {T} {a} to {D}", kind, near, out=a.kind)
    size, got = e.intrinsic("fabs", a.kind, a), e.intrinsic("fabs", a.kind, back)
    zero = e.const(0, bits)
    below = e.op("fcmp olt {T} {a}, {b}", a.kind, got, size, out="pred")
    above = e.op("fcmp ogt {T} {a}, {b}", a.kind, got, size, out="pred")
    out, back_in = e.select(below, e.const(1, bits), zero), e.select(above, e.const(-1, bits), zero)
    step = e.select(_outward(e, a, mode), out, back_in)
    return e.cast(e.op("add {T} {a}, {b}", bits, e.cast(near, bits), step), kind)


def _to_bf16(e: Any, single: Val, mode: str) -> Val:
    bits = e.cast(single, "b32")
    if mode == "rn":
        low = e.op("lshr {T} {a}, {b}", "b32", bits, e.const(16, "b32"))
        odd = e.op("and {T} {a}, {b}", "b32", low, e.const(1, "b32"))
        bias = e.op("add {T} {a}, {b}", "b32", odd, e.const(0x7FFF, "b32"))
    else:
        bias = e.select(_outward(e, single, mode), e.const(0xFFFF, "b32"), e.const(0, "b32"))
    rounded = e.op("add {T} {a}, {b}", "b32", bits, bias)
    nan = e.op("fcmp uno {T} {a}, {b}", "f32", single, single, out="pred")
    chosen = e.select(nan, e.const(0x7FFF0000, "b32"), rounded)
    high = e.op("lshr {T} {a}, {b}", "b32", chosen, e.const(16, "b32"))
    return Val(e.resize(high, "b16").name, "bf16", high.uniform)


def _to_odd_f32(e: Any, a: Val) -> Val:
    """f64 -> f32 rounded to odd, so that a second rounding to a narrower format is exact."""
    cut = _shortened(e, a, "f32", "rz")
    back = e.op("fpext {T} {a} to {D}", "f32", cut, out="f64")
    inexact = e.op("fcmp one {T} {a}, {b}", "f64", back, a, out="pred")
    sticky = e.select(inexact, e.const(1, "b32"), e.const(0, "b32"))
    return e.cast(e.op("or {T} {a}, {b}", "b32", e.cast(cut, "b32"), sticky), "f32")


def odd_sum(e: Any, a: Val, b: Val) -> Val:
    """a + b in f64 rounded to odd: the rounded sum and its exact rest (two-sum), then the last bit as a sticky bit."""

    def minus(x: Val, y: Val) -> Val:
        return e.op("fsub {T} {a}, {b}", "f64", x, y)

    head = e.op("fadd {T} {a}, {b}", "f64", a, b)
    t = minus(head, a)
    rest = e.op("fadd {T} {a}, {b}", "f64", minus(a, minus(head, t)), minus(b, t))
    bits, zero = e.cast(head, "b64"), e.const(0, "f64")
    last = e.op("trunc {T} {a} to {D}", "b64", bits, out="pred")
    inexact = e.op("fcmp one {T} {a}, {b}", "f64", rest, zero, out="pred")
    even = e.op("xor {T} {a}, {b}", "pred", last, e.const(1, "pred"))
    up = e.op("fcmp ogt {T} {a}, {b}", "f64", rest, zero, out="pred")
    positive = e.op("fcmp ogt {T} {a}, {b}", "f64", head, zero, out="pred")
    inward = e.op("xor {T} {a}, {b}", "pred", up, positive)
    step = e.select(inward, e.const(-1, "b64"), e.const(1, "b64"))
    moves = e.op("and {T} {a}, {b}", "pred", inexact, even)
    moved = e.op("add {T} {a}, {b}", "b64", bits, e.select(moves, step, e.const(0, "b64")))
    return e.cast(moved, "f64")
