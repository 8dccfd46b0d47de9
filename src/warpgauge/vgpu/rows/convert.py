"""cvt: between integers, floats and the narrow formats."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Instruction

from ..emit import Val
from .floats import clamp, flush, narrow_flushed, pack, relu, widen
from .rounding import MODES, calculate, narrow
from .table import FLOATS, row

_INTS = "u8 s8 u16 s16 u32 s32 u64 s64"
_HALF = "f16 bf16"
_TO_INTEGRAL = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_MODES = " ".join(MODES)
_INTEGRAL = " ".join(_TO_INTEGRAL)
_RANK = {"f16": 0, "bf16": 0, "f32": 1, "f64": 2}
_TWO_32 = 0x41F0000000000000


def _mode(i: Instruction) -> str:
    return next((m for m in i.modifiers if m in MODES), "rn")


def _to_float(e: Any, a: Val, signed: bool, kind: str) -> Val:
    return e.op(f"{'s' if signed else 'u'}itofp {{T}} {{a}} to {{D}}", a.kind, a, out=kind)


# -- from integers ----------------------------------------------------------------------------------------------------
@row("cvt", _INTS, to=_INTS, allow="sat")
def _integers(e: Any, i: Instruction) -> None:
    """Truncated or extended; `.sat` clamps to the result's range."""
    to, kind = i.types
    a = e.src(i.operands[1], kind)
    if "sat" in i.modifiers:
        a = _clamped(e, a, kind, to)
    e.put(i.operands[0], e.resize(a, to, kind[0] == "s"), to[0] == "s")


def _clamped(e: Any, a: Val, kind: str, to: str) -> Val:
    """Integer saturation into the range of `to`, still of type `kind`."""
    bits, have = 8 * TYPE_BYTES[to], 8 * TYPE_BYTES[kind]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    floor, ceiling = (-(1 << (have - 1)), (1 << (have - 1)) - 1) if kind[0] == "s" else (0, (1 << have) - 1)
    if low > floor:
        a = e.intrinsic(kind[0] + "max", kind, a, e.const(low, kind))
    if high < ceiling:
        a = e.intrinsic(kind[0] + "min", kind, a, e.const(high, kind))
    return a


@row("cvt", _INTS, to=f"{_HALF} {FLOATS}", allow=f"{_MODES} sat")
def _integer_to_float(e: Any, i: Instruction) -> None:
    to, kind = i.types
    a, signed, mode = e.src(i.operands[1], kind), kind[0] == "s", _mode(i)
    if TYPE_BYTES[kind] < 8:
        value = narrow(e, _to_float(e, a, signed, "f64"), to, mode)
    elif to == "f64":
        value = _wide_to_f64(e, a, signed, mode)
    elif to == "f32" and mode == "rn":
        value = _to_float(e, a, signed, to)
    else:
        value = narrow(e, _to_float(e, _sticky(e, a, signed), signed, "f64"), to, mode)
    e.put(i.operands[0], clamp(e, i, value))


def _wide_to_f64(e: Any, a: Val, signed: bool, mode: str) -> Val:
    """The two 32-bit halves are exact in f64: one rounded sum."""
    if mode == "rn":
        return _to_float(e, a, signed, "f64")
    high = e.op(f"{'ashr' if signed else 'lshr'} {{T}} {{a}}, {{b}}", a.kind, a, e.const(32, a.kind))
    low = e.op("and {T} {a}, {b}", a.kind, a, e.const(0xFFFFFFFF, a.kind))
    upper = e.op("fmul {T} {a}, {b}", "f64", _to_float(e, high, signed, "f64"), e.const(_TWO_32, "f64"))
    return calculate(e, "fadd", mode, upper, _to_float(e, low, False, "f64"))


def _sticky(e: Any, a: Val, signed: bool) -> Val:
    """A 64-bit integer that f64 holds exactly and that rounds to every narrower format as `a` does.

    From 2**53 on, the low twelve bits become one sticky bit: formats of up to 24 bits have their ties far above it.
    """
    size = e.intrinsic("abs", a.kind, a, extra=", i1 false") if signed else a
    large = e.op("icmp uge {T} {a}, {b}", a.kind, size, e.const(1 << 53, a.kind), out="pred")
    low = e.op("and {T} {a}, {b}", a.kind, a, e.const(0xFFF, a.kind))
    none = e.op("icmp eq {T} {a}, {b}", a.kind, low, e.const(0, a.kind), out="pred")
    kept = e.op("and {T} {a}, {b}", a.kind, a, e.const(~0xFFF, a.kind))
    marked = e.op("or {T} {a}, {b}", a.kind, kept, e.const(0x800, a.kind))
    return e.select(large, e.select(none, kept, marked), a)


# -- from floats ------------------------------------------------------------------------------------------------------
def _source(e: Any, i: Instruction) -> Val:
    """`.ftz` concerns f32 only, on whichever side it stands."""
    kind = i.types[-1]
    a = e.src(i.operands[1], kind)
    return flush(e, a) if "ftz" in i.modifiers and kind == "f32" else a


@row("cvt", f"{_HALF} {FLOATS}", to=_INTS, allow=f"{_INTEGRAL} ftz sat")
def _float_to_integer(e: Any, i: Instruction) -> None:
    """Rounded, then clamped to the range. NaN gives 0, or with an f64 source or a 64-bit result the top bit alone."""
    to, kind = i.types
    a = _source(e, i)
    value = widen(e, a, "f32") if kind in _HALF.split() else a
    how = next((m for m in i.modifiers if m in _TO_INTEGRAL), "rzi")
    (value,), uniform = e.same(e.intrinsic(_TO_INTEGRAL[how], value.kind, value))
    out = Val("", to, uniform).type
    lanes = "" if uniform else "v32"
    name = f"llvm.fpto{'s' if to[0] == 's' else 'u'}i.sat.{lanes}i{8 * TYPE_BYTES[to]}.{lanes}{value.kind}"
    e.declare(f"{out} @{name}({value.type})")
    result = e.let(f"call {out} @{name}({value.type} {value.name})", to, uniform)
    if kind == "f64" or TYPE_BYTES[to] == 8:
        nan = e.op("fcmp uno {T} {a}, {b}", value.kind, value, value, out="pred")
        result = e.select(nan, e.const(1 << (8 * TYPE_BYTES[to] - 1), to), result)
    e.put(i.operands[0], result, to[0] == "s")


@row("cvt", f"{_HALF} {FLOATS}", to=f"{_HALF} {FLOATS}", allow=f"{_MODES} {_INTEGRAL} ftz sat relu")
def _float_to_float(e: Any, i: Instruction) -> None:
    """`.ftz` concerns f32 only, on whichever side it stands."""
    to, kind = i.types
    a = _source(e, i)
    how = next((m for m in i.modifiers if m in _TO_INTEGRAL), None)
    if how and kind == "bf16":
        a = narrow(e, e.intrinsic(_TO_INTEGRAL[how], "f32", widen(e, a, "f32")), kind)
    elif how:
        a = e.intrinsic(_TO_INTEGRAL[how], kind, a)
    if a.kind == to or _RANK[to] > _RANK[kind]:
        value = clamp(e, i, widen(e, a, to))
        value = flush(e, value) if "ftz" in i.modifiers and to == "f32" else value
    else:
        wide = clamp(e, i, widen(e, a, "f32") if _RANK[kind] == 0 else a)
        value = (narrow_flushed if "ftz" in i.modifiers and to == "f32" else narrow)(e, wide, to, _mode(i))
    e.put(i.operands[0], value)


@row("cvt", "f32", to="f16x2 bf16x2", allow="rn rz relu")
def _packed(e: Any, i: Instruction) -> None:
    """Two f32 into a register: the first operand becomes the upper half."""
    kind = i.types[0].removesuffix("x2")
    high, low = (narrow(e, clamp(e, i, e.src(o, "f32")), kind, _mode(i)) for o in i.operands[1:3])
    e.put(i.operands[0], pack(e, low, high))


@row("cvt", "f32", to="tf32", need="rna", allow="satfinite")
@row("cvt", "f32", to="tf32", need="rn", allow="relu satfinite")
@row("cvt", "f32", to="tf32", need="rz", allow="relu satfinite")
def _tf32(e: Any, i: Instruction) -> None:
    """To ten fraction bits; the low thirteen are cleared. `.rna`: to nearest, ties away from zero."""
    a = e.src(i.operands[1], "b32")
    if "relu" in i.modifiers:
        a = e.cast(relu(e, e.cast(a, "f32")), "b32")
    size = e.op("and {T} {a}, {b}", "b32", a, e.const(0x7FFFFFFF, "b32"))
    special = e.op("icmp uge {T} {a}, {b}", "b32", size, e.const(0x7F800000, "b32"), out="pred")
    if "rna" in i.modifiers:
        bias = e.const(0x1000, "b32")
    elif "rn" in i.modifiers:
        odd = e.op("lshr {T} {a}, {b}", "b32", a, e.const(13, "b32"))
        odd = e.op("and {T} {a}, {b}", "b32", odd, e.const(1, "b32"))
        bias = e.op("add {T} {a}, {b}", "b32", odd, e.const(0xFFF, "b32"))
    else:
        bias = e.const(0, "b32")
    rounded = e.op("add {T} {a}, {b}", "b32", a, bias)
    result = e.select(special, a, e.op("and {T} {a}, {b}", "b32", rounded, e.const(0xFFFFE000, "b32")))
    if "satfinite" in i.modifiers:
        size = e.op("and {T} {a}, {b}", "b32", result, e.const(0x7FFFFFFF, "b32"))
        infinite = e.op("icmp eq {T} {a}, {b}", "b32", size, e.const(0x7F800000, "b32"), out="pred")
        sign = e.op("and {T} {a}, {b}", "b32", result, e.const(0x80000000, "b32"))
        largest = e.op("or {T} {a}, {b}", "b32", sign, e.const(0x7F7FE000, "b32"))
        result = e.select(infinite, largest, result)
    e.put(i.operands[0], result)


@row("cvt", "s32", to="u16 s16", need="pack sat")
@row("cvt", "b32", to="u8 s8", need="pack sat", middle="s32")
def _packed_integers(e: Any, i: Instruction) -> None:
    """Both clamped, the first above the second, above them what the third has in its low half."""
    to = i.types[0]
    bits = 8 * TYPE_BYTES[to]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    parts = []
    for operand in i.operands[1:3]:
        part = e.intrinsic("smax", "b32", e.src(operand, "b32"), e.const(low, "b32"))
        part = e.intrinsic("smin", "b32", part, e.const(high, "b32"))
        parts.append(e.op("and {T} {a}, {b}", "b32", part, e.const((1 << bits) - 1, "b32")))
    first = e.op("shl {T} {a}, {b}", "b32", parts[0], e.const(bits, "b32"))
    result = e.op("or {T} {a}, {b}", "b32", first, parts[1])
    if bits == 8:
        rest = e.op("shl {T} {a}, {b}", "b32", e.src(i.operands[3], "b32"), e.const(16, "b32"))
        result = e.op("or {T} {a}, {b}", "b32", result, rest)
    e.put(i.operands[0], result)
