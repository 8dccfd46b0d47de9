"""cvt of FP8: pairs of e4m3 or e5m2 bytes to and from wider floats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from warpgauge.ptx import Instruction

from ..emit import Val
from .floats import halves, pack, relu, widen
from .table import row


@dataclass(frozen=True)
class _Format:
    """Fraction bits, exponent bias, and the bits of the largest number as f32."""

    fraction: int
    bias: int
    largest: int


_FORMATS = {"e4m3x2": _Format(3, 7, 0x43E00000), "e5m2x2": _Format(2, 15, 0x47600000)}  # 448 and 57344
_NAN = 0x7F
_HALF_NAN = 0x7FFF


def _byte(e: Any, a: Val, f: _Format) -> Val:
    """f32 to nearest even, b32; beyond the largest number that one, NaN for NaN."""
    bits = e.cast(a, "b32")
    size = e.op("and {T} {a}, {b}", "b32", bits, e.const(0x7FFFFFFF, "b32"))
    nan = e.op("icmp ugt {T} {a}, {b}", "b32", size, e.const(0x7F800000, "b32"), out="pred")
    size = e.intrinsic("umin", "b32", size, e.const(f.largest, "b32"))
    # A normal number: f32's fraction cut to f's, the exponent biased anew.
    drop = 23 - f.fraction
    odd = e.op(
        "and {T} {a}, {b}", "b32", e.op("lshr {T} {a}, {b}", "b32", size, e.const(drop, "b32")), e.const(1, "b32")
    )
    half = e.op("add {T} {a}, {b}", "b32", odd, e.const((1 << drop - 1) - 1, "b32"))
    rounded = e.op("lshr {T} {a}, {b}", "b32", e.op("add {T} {a}, {b}", "b32", size, half), e.const(drop, "b32"))
    normal = e.op("sub {T} {a}, {b}", "b32", rounded, e.const(127 - f.bias << f.fraction, "b32"))
    # Below the least normal number, the byte counts steps.
    steps = 127 + f.bias - 1 + f.fraction << 23
    count = e.op("fmul {T} {a}, {b}", "f32", e.cast(size, "f32"), e.const(steps, "f32"))
    small = e.op("fptoui {T} {a} to {D}", "f32", e.intrinsic("roundeven", "f32", count), out="b32")
    tiny = e.op("icmp ult {T} {a}, {b}", "b32", size, e.const(128 - f.bias << 23, "b32"), out="pred")
    sign = e.op("lshr {T} {a}, {b}", "b32", bits, e.const(24, "b32"))
    sign = e.op("and {T} {a}, {b}", "b32", sign, e.const(0x80, "b32"))
    number = e.op("or {T} {a}, {b}", "b32", e.select(tiny, small, normal), sign)
    return e.select(nan, e.const(_NAN, "b32"), number)


def _pair(e: Any, i: Instruction, high: Val, low: Val) -> None:
    f = _FORMATS[i.types[0]]
    parts = [_byte(e, relu(e, x) if "relu" in i.modifiers else x, f) for x in (high, low)]
    upper = e.op("shl {T} {a}, {b}", "b32", parts[0], e.const(8, "b32"))
    e.put(i.operands[0], e.resize(e.op("or {T} {a}, {b}", "b32", upper, parts[1]), "b16"))


@row("cvt", "f32", to="e4m3x2 e5m2x2", need="rn satfinite", allow="relu")
def _from_floats(e: Any, i: Instruction) -> None:
    """Two f32: the first operand becomes the upper byte. What is too large becomes the largest number."""
    _pair(e, i, *(e.src(o, "f32") for o in i.operands[1:3]))


@row("cvt", "f16x2", to="e4m3x2 e5m2x2", need="rn satfinite", allow="relu")
def _from_halves(e: Any, i: Instruction) -> None:
    """Each half becomes a byte."""
    low, high = (widen(e, x, "f32") for x in halves(e, e.src(i.operands[1], "b32"), "f16"))
    _pair(e, i, high, low)


@row("cvt", "e4m3x2 e5m2x2", to="f16x2", need="rn", allow="relu")
def _to_halves(e: Any, i: Instruction) -> None:
    """Exact. An e5m2 is the upper byte of an f16; an e4m3 has the same bits as one 2**8 smaller."""
    pair = e.src(i.operands[1], "b16")
    parts = []
    for at in (0, 8):
        byte = e.op("lshr {T} {a}, {b}", "b16", pair, e.const(at, "b16"))
        size = e.op("and {T} {a}, {b}", "b16", byte, e.const(0x7F, "b16"))
        sign = e.op("shl {T} {a}, {b}", "b16", byte, e.const(8, "b16"))
        sign = e.op("and {T} {a}, {b}", "b16", sign, e.const(0x8000, "b16"))
        if i.types[-1] == "e5m2x2":
            nan = e.op("icmp ugt {T} {a}, {b}", "b16", size, e.const(0x7C, "b16"), out="pred")
            number = e.op("shl {T} {a}, {b}", "b16", size, e.const(8, "b16"))
        else:
            nan = e.op("icmp eq {T} {a}, {b}", "b16", size, e.const(0x7F, "b16"), out="pred")
            lifted = e.op("shl {T} {a}, {b}", "b16", size, e.const(7, "b16"))
            wide = widen(e, e.cast(lifted, "f16"), "f32")
            wide = e.op("fmul {T} {a}, {b}", "f32", wide, e.const(0x43800000, "f32"))
            number = e.cast(e.op("fptrunc {T} {a} to {D}", "f32", wide, out="f16"), "b16")
        number = e.select(nan, e.const(_HALF_NAN, "b16"), e.op("or {T} {a}, {b}", "b16", number, sign))
        half = e.cast(number, "f16")
        parts.append(relu(e, half) if "relu" in i.modifiers else half)
    e.put(i.operands[0], pack(e, *parts))
