"""Addition to remainder: integers, f32, f64, f16, bf16 and the packed halves."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Instruction

from ..emit import Unsupported, Val
from .floats import flush, halves, narrow, pack, saturate, widen
from .table import FLOATS, INTS, SIGNED, add_row, row, template

HALF = "f16 bf16 f16x2 bf16x2"
_FLOAT_OP = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


for _op in ("add", "sub"):
    template(_op, INTS, f"{_op} {{T}} {{a}}, {{b}}")
    template(_op, "u16x2 s16x2", f"{_op} {{T}} {{a}}, {{b}}")
template("mul", INTS, "mul {T} {a}, {b}", need="lo")


@row("add", "s32", need="sat")
@row("sub", "s32", need="sat")
def _int_saturating(e: Any, i: Instruction) -> None:
    a, b = (e.src(o, "s32") for o in i.operands[1:])
    e.put(i.operands[0], e.intrinsic(f"s{i.opcode}.sat", "b32", e.cast(a, "b32"), e.cast(b, "b32")))


def float_result(e: Any, i: Instruction, value: Val) -> Val:
    """`.ftz` and `.sat` on a result."""
    if "ftz" in i.modifiers:
        value = flush(e, value)
    return saturate(e, value) if "sat" in i.modifiers else value


def float_source(e: Any, i: Instruction, position: int, kind: str) -> Val:
    value = e.src(i.operands[position], kind)
    return flush(e, value) if "ftz" in i.modifiers else value


def _float_binary(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (float_source(e, i, n, kind) for n in (1, 2))
    e.put(i.operands[0], float_result(e, i, e.op(f"{_FLOAT_OP[i.opcode]} {{T}} {{a}}, {{b}}", kind, a, b)))


for _op in ("add", "sub", "mul"):
    add_row(_op, FLOATS, _float_binary, allow="rn ftz sat")
add_row("div", FLOATS, _float_binary, need="rn", allow="ftz")
add_row("div", "f32", _float_binary, need="approx", allow="ftz")
add_row("div", "f32", _float_binary, need="full", allow="ftz")


@row("fma", FLOATS, need="rn", allow="ftz sat")
@row("mad", FLOATS, need="rn", allow="ftz sat")
def _fma(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b, c = (float_source(e, i, n, kind) for n in (1, 2, 3))
    e.put(i.operands[0], float_result(e, i, e.intrinsic("fma", kind, a, b, c)))


# -- halves: compute wide enough that one rounding to the format is exact ------------------------------------------
def _half_op(e: Any, opcode: str, values: list[Val], kind: str) -> Val:
    if opcode == "fma":
        wide = e.intrinsic("fma", "f64", *(widen(e, x, "f64") for x in values))
    else:
        wide = e.op(f"{_FLOAT_OP[opcode]} {{T}} {{a}}, {{b}}", "f32", *(widen(e, x, "f32") for x in values))
    return narrow(e, wide, kind)


def half_source(e: Any, o: Any, kind: str) -> Val:
    return Val(*_bf16(e.src(o, "b16"))) if kind == "bf16" else e.src(o, kind)


def _bf16(a: Val) -> tuple[str, str, bool]:
    return a.name, "bf16", a.uniform


def _per_half(e: Any, i: Instruction, compute: Any) -> None:
    """Apply `compute(values, kind)` to a scalar half or to both elements of a packed register."""
    kind = i.types[-1]
    single = kind.removesuffix("x2")
    if single == kind:
        result = compute([half_source(e, o, kind) for o in i.operands[1:]], kind)
        e.put(i.operands[0], Val(result.name, "b16", result.uniform) if kind == "bf16" else result)
        return
    pairs = [halves(e, e.src(o, "b32"), single) for o in i.operands[1:]]
    low, high = (compute([p[n] for p in pairs], single) for n in (0, 1))
    e.put(i.operands[0], pack(e, low, high))


@row("add", HALF, allow="rn ftz sat")
@row("sub", HALF, allow="rn ftz sat")
@row("mul", HALF, allow="rn ftz sat")
@row("fma", HALF, need="rn", allow="ftz sat relu")
def _half_arith(e: Any, i: Instruction) -> None:
    def compute(values: list[Val], kind: str) -> Val:
        if "ftz" in i.modifiers and kind == "f16":
            values = [flush(e, x) for x in values]
        result = _half_op(e, i.opcode, values, kind)
        if {"sat", "relu"} & set(i.modifiers):
            if kind == "bf16":
                raise Unsupported("saturation of bf16")
            if "sat" in i.modifiers:
                result = saturate(e, result)
            else:
                nan = e.op("fcmp uno {T} {a}, {b}", kind, result, result, out="pred")
                result = e.select(nan, result, e.intrinsic("maximumnum", kind, result, e.const(0, kind)))
        return flush(e, result) if "ftz" in i.modifiers and kind == "f16" else result

    _per_half(e, i, compute)


def _float_extreme(e: Any, i: Instruction, values: list[Val], kind: str) -> Val:
    name = ("minimum" if i.opcode == "min" else "maximum") + ("" if "NaN" in i.modifiers else "num")
    if kind == "bf16":
        return narrow(e, e.intrinsic(name, "f32", *(widen(e, x, "f32") for x in values)), kind)
    return e.intrinsic(name, kind, *values)


@row("min", f"{FLOATS} {HALF}", allow="ftz NaN")
@row("max", f"{FLOATS} {HALF}", allow="ftz NaN")
def _min_max(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    if kind in ("f32", "f64"):
        values = [float_source(e, i, n, kind) for n in range(1, len(i.operands))]
        result = _float_extreme(e, i, values[:2], kind)
        for value in values[2:]:
            result = _float_extreme(e, i, [result, value], kind)
        e.put(i.operands[0], result)
        return
    _per_half(e, i, lambda values, k: _float_extreme(e, i, values, k))


@row("min", INTS, allow="relu")
@row("max", INTS, allow="relu")
def _int_min_max(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:])
    result = e.intrinsic(kind[0] + i.opcode, kind, a, b)
    if "relu" in i.modifiers:
        result = e.intrinsic("smax", kind, result, e.const(0, kind))
    e.put(i.operands[0], result)


@row("abs", f"{FLOATS} f16", allow="ftz")
@row("neg", f"{FLOATS} f16", allow="ftz")
def _sign(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a = float_source(e, i, 1, kind)
    e.put(i.operands[0], e.intrinsic("fabs", kind, a) if i.opcode == "abs" else e.op("fneg {T} {a}", kind, a))


@row("abs", "f16x2 bf16 bf16x2", allow="ftz")
@row("neg", "f16x2 bf16 bf16x2", allow="ftz")
def _packed_sign(e: Any, i: Instruction) -> None:
    bits = "b16" if i.types[-1] == "bf16" else "b32"
    sign = 0x8000 if bits == "b16" else 0x80008000
    a = e.src(i.operands[1], bits)
    text, mask = ("and {T} {a}, {b}", ~sign) if i.opcode == "abs" else ("xor {T} {a}, {b}", sign)
    e.put(i.operands[0], e.op(text, bits, a, e.const(mask, bits)))


@row("abs", SIGNED)
def _int_abs(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    e.put(i.operands[0], e.intrinsic("abs", kind, e.src(i.operands[1], kind), extra=", i1 false"))


@row("neg", SIGNED)
def _int_neg(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    e.put(i.operands[0], e.op("sub {T} {a}, {b}", kind, e.const(0, kind), e.src(i.operands[1], kind)))


# -- products of integers -----------------------------------------------------------------------------------------
_WIDER = {"16": "b32", "32": "b64", "64": "b128"}


def _wide_product(e: Any, i: Instruction) -> Val:
    """The full product, of twice the width."""
    kind = i.types[-1]
    wide = _WIDER[kind[1:]]
    a, b = (e.resize(e.src(o, kind), wide, kind[0] == "s") for o in i.operands[1:3])
    return e.op("mul {T} {a}, {b}", wide, a, b)


@row("mul", "u16 s16 u32 s32", need="wide")
def _mul_wide(e: Any, i: Instruction) -> None:
    e.put(i.operands[0], _wide_product(e, i))


def _high(e: Any, i: Instruction) -> Val:
    kind = i.types[-1]
    product = _wide_product(e, i)
    shifted = e.op("lshr {T} {a}, {b}", product.kind, product, e.const(8 * TYPE_BYTES[kind], product.kind))
    return e.resize(shifted, kind)


@row("mul", INTS, need="hi")
def _mul_hi(e: Any, i: Instruction) -> None:
    e.put(i.operands[0], _high(e, i))


@row("mad", INTS, need="lo")
def _mad_lo(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b, c = (e.src(o, kind) for o in i.operands[1:])
    e.put(i.operands[0], e.op("add {T} {a}, {b}", kind, e.op("mul {T} {a}, {b}", kind, a, b), c))


@row("mad", "u16 s16 u32 s32", need="wide")
def _mad_wide(e: Any, i: Instruction) -> None:
    product = _wide_product(e, i)
    c = e.src(i.operands[3], product.kind)
    e.put(i.operands[0], e.op("add {T} {a}, {b}", product.kind, product, c))


@row("mad", INTS, need="hi")
def _mad_hi(e: Any, i: Instruction) -> None:
    high = _high(e, i)
    e.put(i.operands[0], e.op("add {T} {a}, {b}", high.kind, high, e.src(i.operands[3], high.kind)))


@row("mul24", "u32 s32", need="lo")
@row("mad24", "u32 s32", need="lo")
def _mul24(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    how = "ashr" if kind[0] == "s" else "lshr"

    def low24(o: Any) -> Val:
        up = e.op("shl {T} {a}, {b}", kind, e.src(o, kind), e.const(8, kind))
        return e.op(f"{how} {{T}} {{a}}, {{b}}", kind, up, e.const(8, kind))

    product = e.op("mul {T} {a}, {b}", kind, low24(i.operands[1]), low24(i.operands[2]))
    if i.opcode == "mad24":
        product = e.op("add {T} {a}, {b}", kind, product, e.src(i.operands[3], kind))
    e.put(i.operands[0], product)


@row("sad", INTS)
def _sad(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b, c = (e.src(o, kind) for o in i.operands[1:])
    larger = e.intrinsic(kind[0] + "max", kind, a, b)
    smaller = e.intrinsic(kind[0] + "min", kind, a, b)
    e.put(i.operands[0], e.op("add {T} {a}, {b}", kind, c, e.op("sub {T} {a}, {b}", kind, larger, smaller)))


# -- division: the host must not trap on a zero divisor or on the one overflow --------------------------------------
@row("div", INTS, pure=False)
@row("rem", INTS, pure=False)
def _divide(e: Any, i: Instruction) -> None:
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


# -- carries --------------------------------------------------------------------------------------------------------
@row("add", "u32 s32 u64 s64", need="cc", pure=False)
@row("addc", "u32 s32 u64 s64", allow="cc", pure=False)
@row("sub", "u32 s32 u64 s64", need="cc", pure=False)
@row("subc", "u32 s32 u64 s64", allow="cc", pure=False)
@row("mad", "u32 s32 u64 s64", need="lo cc", pure=False)
@row("mad", "u32 s32 u64 s64", need="hi cc", pure=False)
@row("madc", "u32 s32 u64 s64", need="lo", allow="cc", pure=False)
@row("madc", "u32 s32 u64 s64", need="hi", allow="cc", pure=False)
def _carry(e: Any, i: Instruction) -> None:
    """Add or subtract with the condition-code register; computed one size wider."""
    kind = i.types[-1]
    wide = _WIDER[kind[1:]]
    if i.opcode in ("mad", "madc"):
        base = e.src(i.operands[1], kind)
        a = _high(e, i) if "hi" in i.modifiers else e.op("mul {T} {a}, {b}", kind, base, e.src(i.operands[2], kind))
        b = e.src(i.operands[3], kind)
    else:
        a, b = (e.src(o, kind) for o in i.operands[1:])
    how = "sub" if i.opcode.startswith("sub") else "add"
    total = e.op(f"{how} {{T}} {{a}}, {{b}}", wide, e.resize(a, wide), e.resize(b, wide))
    if i.opcode.endswith("c"):
        carry = e.op("zext {T} {a} to {D}", "pred", e.get("%CC"), out=wide)
        total = e.op(f"{how} {{T}} {{a}}, {{b}}", wide, total, carry)
    e.put(i.operands[0], e.resize(total, kind))
    if "cc" in i.modifiers:
        top = e.op("lshr {T} {a}, {b}", wide, total, e.const(8 * TYPE_BYTES[kind], wide))
        e.set_carry(e.op("trunc {T} {a} to {D}", wide, top, out="pred"))


@row("dp4a", "u32 s32")
@row("dp2a", "u32 s32", allow="lo hi")
def _dot(e: Any, i: Instruction) -> None:
    """Four bytes by four bytes, or two halves by two bytes, onto a 32-bit sum."""
    signs = [t[0] for t in i.types[-2:]] if len(i.types) > 1 else [i.types[-1][0]] * 2
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
