"""cvt: between integers, floats and the narrow formats."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Instruction

from ..emit import Unsupported, Val
from .arith import half_source
from .floats import flush, narrow, pack, saturate, widen
from .table import row

_INTS = "u8 s8 u16 s16 u32 s32 u64 s64"
_FLOATS = "f16 bf16 f32 f64"
_TO_INTEGRAL = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_ROUND = "rn rz rm rp rni rzi rmi rpi"
_RANK = {"f16": 0, "bf16": 0, "f32": 1, "f64": 2}


@row("cvt", f"{_INTS} {_FLOATS}", allow=f"{_ROUND} ftz sat relu")
def _cvt(e: Any, i: Instruction) -> None:
    if len(i.types) != 2 or i.types[0] in ("e4m3x2", "e5m2x2"):
        raise Unsupported("this packed conversion")
    if i.types[0] in ("f16x2", "bf16x2"):
        _cvt_packed(e, i)
        return
    to, source = i.types
    operand = i.operands[1]
    if source in _FLOATS.split():
        a = half_source(e, operand, source)
        value = _from_float(e, i, a, to)
    else:
        value = _from_int(e, i, e.src(operand, source), source, to)
    signed = to[0] == "s"
    e.put(i.operands[0], Val(value.name, "b16", value.uniform) if value.kind == "bf16" else value, signed)


def _from_int(e: Any, i: Instruction, a: Val, source: str, to: str) -> Val:
    if to in ("f32", "f64"):
        _only_nearest(i)
        return e.op(f"{'s' if source[0] == 's' else 'u'}itofp {{T}} {{a}} to {{D}}", source, a, out=to)
    if to in ("f16", "bf16"):
        _only_nearest(i)
        if TYPE_BYTES[source] == 8:
            raise Unsupported("64-bit integer to a 16-bit float")
        exact = e.op(f"{'s' if source[0] == 's' else 'u'}itofp {{T}} {{a}} to {{D}}", source, a, out="f64")
        return narrow(e, exact, to)
    if "sat" in i.modifiers:
        a = _clamp(e, a, source, to)
    return e.resize(a, to, source[0] == "s")


def _clamp(e: Any, a: Val, source: str, to: str) -> Val:
    """Integer saturation into the range of `to`, still of type `source`."""
    bits, have = 8 * TYPE_BYTES[to], 8 * TYPE_BYTES[source]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    floor, ceiling = (-(1 << (have - 1)), (1 << (have - 1)) - 1) if source[0] == "s" else (0, (1 << have) - 1)
    sign = "s" if source[0] == "s" else "u"
    if low > floor:
        a = e.intrinsic(sign + "max", source, a, e.const(low, source))
    if high < ceiling:
        a = e.intrinsic(sign + "min", source, a, e.const(high, source))
    return a


def _only_nearest(i: Instruction) -> None:
    if {"rz", "rm", "rp"} & set(i.modifiers):
        raise Unsupported("conversion that rounds other than to nearest")


def _from_float(e: Any, i: Instruction, a: Val, to: str) -> Val:
    if "ftz" in i.modifiers and a.kind == "f32":
        a = flush(e, a)
    how = next((m for m in i.modifiers if m in _TO_INTEGRAL), None)
    if to in _FLOATS.split():
        return _float_to_float(e, i, a, to, how)
    value = widen(e, a, "f32") if a.kind in ("f16", "bf16") else a
    if how:
        value = e.intrinsic(_TO_INTEGRAL[how], value.kind, value)
    name = "fptosi.sat" if to[0] == "s" else "fptoui.sat"
    (value,), uniform = e.same(value)
    out = Val("", to, uniform).type
    suffix = {True: "", False: "v32"}[uniform]
    full = f"llvm.{name}.{suffix}i{8 * TYPE_BYTES[to]}.{suffix}{value.kind}"
    e.declare(f"{out} @{full}({value.type})")
    return e.let(f"call {out} @{full}({value.type} {value.name})", to, uniform)


def _float_to_float(e: Any, i: Instruction, a: Val, to: str, how: str | None) -> Val:
    if _RANK[to] < _RANK[a.kind] or (a.kind != to and _RANK[to] == _RANK[a.kind] == 0):
        _only_nearest(i)
        if how:
            raise Unsupported("rounding to an integral value while narrowing")
        value = narrow(e, widen(e, a, "f32") if _RANK[a.kind] == 0 else a, to)
    else:
        value = widen(e, a, to)
        if how:
            value = e.intrinsic(_TO_INTEGRAL[how], value.kind, value)
    if "relu" in i.modifiers:
        if value.kind == "bf16":
            raise Unsupported("relu of bf16")
        nan = e.op("fcmp uno {T} {a}, {b}", value.kind, value, value, out="pred")
        value = e.select(nan, value, e.intrinsic("maximumnum", value.kind, value, e.const(0, value.kind)))
    if "sat" in i.modifiers:
        value = saturate(e, value)
    if "ftz" in i.modifiers and value.kind == "f32":
        value = flush(e, value)
    return value


def _cvt_packed(e: Any, i: Instruction) -> None:
    """Two f32 into a register: the first operand becomes the upper half."""
    _only_nearest(i)
    kind = i.types[0].removesuffix("x2")
    high, low = (narrow(e, e.src(o, "f32"), kind) for o in i.operands[1:3])
    if "relu" in i.modifiers:
        raise Unsupported("relu of a packed conversion")
    e.put(i.operands[0], pack(e, low, high))
