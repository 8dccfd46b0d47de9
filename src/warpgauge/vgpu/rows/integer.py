"""Integer arithmetic: sums, products, quotients, extremes, dot products."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Instruction

from ..emit import Val
from .table import INTS, SIGNED, row, template

WIDER = {"16": "b32", "32": "b64", "64": "b128"}
_PACKED = "u16x2 s16x2"

for _op in ("add", "sub"):
    template(_op, INTS, f"{_op} {{T}} {{a}}, {{b}}", __name__)
template("add", _PACKED, "add {T} {a}, {b}", __name__)
template("mul", INTS, "mul {T} {a}, {b}", __name__, need="lo")


@row("add", "s32", need="sat")
@row("sub", "s32", need="sat")
def _saturating(e: Any, i: Instruction) -> None:
    a, b = (e.src(o, "s32") for o in i.operands[1:])
    e.put(i.operands[0], e.intrinsic(f"s{i.opcode}.sat", "b32", e.cast(a, "b32"), e.cast(b, "b32")))


@row("min", f"{INTS} {_PACKED}")
@row("max", f"{INTS} {_PACKED}")
@row("min", "s32 s16x2", need="relu")
@row("max", "s32 s16x2", need="relu")
def _min_max(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:])
    result = e.intrinsic(kind[0] + i.opcode, kind, a, b)
    if "relu" in i.modifiers:
        result = e.intrinsic("smax", kind, result, e.const(0, kind))
    e.put(i.operands[0], result)


@row("abs", SIGNED)
def _abs(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    e.put(i.operands[0], e.intrinsic("abs", kind, e.src(i.operands[1], kind), extra=", i1 false"))


@row("neg", SIGNED)
def _neg(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    e.put(i.operands[0], e.op("sub {T} {a}, {b}", kind, e.const(0, kind), e.src(i.operands[1], kind)))


@row("sad", INTS)
def _sad(e: Any, i: Instruction) -> None:
    """The distance of a and b, added to c."""
    kind = i.types[-1]
    a, b, c = (e.src(o, kind) for o in i.operands[1:])
    larger = e.intrinsic(kind[0] + "max", kind, a, b)
    smaller = e.intrinsic(kind[0] + "min", kind, a, b)
    e.put(i.operands[0], e.op("add {T} {a}, {b}", kind, c, e.op("sub {T} {a}, {b}", kind, larger, smaller)))


# -- products -------------------------------------------------------------------------------------------------------
def wide_product(e: Any, i: Instruction) -> Val:
    """The full product, of twice the width."""
    kind = i.types[-1]
    wide = WIDER[kind[1:]]
    a, b = (e.resize(e.src(o, kind), wide, kind[0] == "s") for o in i.operands[1:3])
    return e.op("mul {T} {a}, {b}", wide, a, b)


def high_product(e: Any, i: Instruction) -> Val:
    """Its upper half."""
    kind = i.types[-1]
    product = wide_product(e, i)
    shifted = e.op("lshr {T} {a}, {b}", product.kind, product, e.const(8 * TYPE_BYTES[kind], product.kind))
    return e.resize(shifted, kind)


def _product_24(e: Any, i: Instruction) -> Val:
    """Of the low 24 bits: the low 32 bits of the 48-bit product, or its upper 32."""
    kind = i.types[-1]
    signed = kind[0] == "s"

    def low24(o: Any) -> Val:
        up = e.op("shl {T} {a}, {b}", kind, e.src(o, kind), e.const(8, kind))
        part = e.op(f"{'ashr' if signed else 'lshr'} {{T}} {{a}}, {{b}}", kind, up, e.const(8, kind))
        return e.resize(part, "b64", signed)

    product = e.op("mul {T} {a}, {b}", "b64", low24(i.operands[1]), low24(i.operands[2]))
    if "hi" in i.modifiers:
        product = e.op("lshr {T} {a}, {b}", "b64", product, e.const(16, "b64"))
    return e.resize(product, "b32")


def _add(e: Any, i: Instruction, product: Val) -> None:
    """Add the third operand, clamped for `.sat`."""
    c = e.src(i.operands[3], product.kind)
    if "sat" in i.modifiers:
        e.put(i.operands[0], e.intrinsic("sadd.sat", product.kind, product, c))
    else:
        e.put(i.operands[0], e.op("add {T} {a}, {b}", product.kind, product, c))


@row("mul", "u16 s16 u32 s32", need="wide")
def _mul_wide(e: Any, i: Instruction) -> None:
    e.put(i.operands[0], wide_product(e, i))


@row("mul", INTS, need="hi")
def _mul_hi(e: Any, i: Instruction) -> None:
    e.put(i.operands[0], high_product(e, i))


@row("mad", INTS, need="lo")
def _mad_lo(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:3])
    _add(e, i, e.op("mul {T} {a}, {b}", kind, a, b))


@row("mad", "u16 s16 u32 s32", need="wide")
def _mad_wide(e: Any, i: Instruction) -> None:
    _add(e, i, wide_product(e, i))


@row("mad", INTS, need="hi")
@row("mad", "s32", need="hi sat")
def _mad_hi(e: Any, i: Instruction) -> None:
    _add(e, i, high_product(e, i))


@row("mul24", "u32 s32", need="lo")
@row("mul24", "u32 s32", need="hi")
def _mul24(e: Any, i: Instruction) -> None:
    e.put(i.operands[0], _product_24(e, i))


@row("mad24", "u32 s32", need="lo")
@row("mad24", "u32 s32", need="hi")
@row("mad24", "s32", need="hi sat")
def _mad24(e: Any, i: Instruction) -> None:
    _add(e, i, _product_24(e, i))


# -- division: the host must not trap on a zero divisor or on the one overflow --------------------------------------
@row("div", INTS, pure=False)
@row("rem", INTS, pure=False)
def _divide(e: Any, i: Instruction) -> None:
    """A zero divisor gives all ones (PTX leaves it open), and the dividend as remainder."""
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:])
    zero = e.op("icmp eq {T} {a}, {b}", kind, b, e.const(0, kind), out="pred")
    safe = e.select(zero, e.const(1, kind), b)
    if kind[0] == "s":
        minus = e.op("icmp eq {T} {a}, {b}", kind, b, e.const(-1, kind), out="pred")
        safe = e.select(minus, e.const(1, kind), safe)
    quotient = e.op(f"{kind[0]}div {{T}} {{a}}, {{b}}", kind, a, safe)
    if kind[0] == "s":
        quotient = e.select(minus, e.op("sub {T} {a}, {b}", kind, e.const(0, kind), a), quotient)
    quotient = e.select(zero, e.const(-1, kind), quotient)
    if i.opcode == "rem":
        product = e.op("mul {T} {a}, {b}", kind, quotient, b)
        quotient = e.op("sub {T} {a}, {b}", kind, a, product)
    e.put(i.operands[0], quotient)


@row("dp4a", "u32 s32", to="u32 s32")
@row("dp2a", "u32 s32", need="lo", to="u32 s32")
@row("dp2a", "u32 s32", need="hi", to="u32 s32")
def _dot(e: Any, i: Instruction) -> None:
    """Four bytes by four bytes, or two halves by two bytes, onto a 32-bit sum."""
    signs = [t[0] for t in i.types[-2:]]
    a, b, total = (e.src(o, "b32") for o in i.operands[1:])
    count, size = (4, 8) if i.opcode == "dp4a" else (2, 16)

    def part(x: Val, at: int, bits: int, signed: bool) -> Val:
        up = e.op("shl {T} {a}, {b}", "b32", x, e.const(32 - bits - at, "b32"))
        return e.op(f"{'ashr' if signed else 'lshr'} {{T}} {{a}}, {{b}}", "b32", up, e.const(32 - bits, "b32"))

    base = 16 if "hi" in i.modifiers else 0
    for n in range(count):
        x = part(a, n * size, size, signs[0] == "s")
        y = part(b, base + n * 8, 8, signs[1] == "s")
        total = e.op("add {T} {a}, {b}", "b32", total, e.op("mul {T} {a}, {b}", "b32", x, y))
    e.put(i.operands[0], total)
