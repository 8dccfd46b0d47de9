"""Logic, shifts and bit fields."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Immediate, Instruction, Pair

from ..emit import Val
from ..runtime import lanes as rt_lanes
from .table import BITS, row, template

for _op in ("and", "or", "xor"):
    template(_op, f"{BITS} pred", f"{_op} {{T}} {{a}}, {{b}}", __name__)


@row("not", f"{BITS} pred")
def _not(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    e.put(i.operands[0], e.op("xor {T} {a}, {b}", kind, e.src(i.operands[1], kind), e.const(-1, kind)))


@row("cnot", BITS)
def _cnot(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    zero = e.op("icmp eq {T} {a}, {b}", kind, e.src(i.operands[1], kind), e.const(0, kind), out="pred")
    e.put(i.operands[0], e.select(zero, e.const(1, kind), e.const(0, kind)))


@row("shl", BITS)
@row("shr", f"{BITS} u16 s16 u32 s32 u64 s64")
def _shift(e: Any, i: Instruction) -> None:
    """Amounts at or past the width give 0, or the sign for an arithmetic shift."""
    kind = i.types[-1]
    width = 8 * TYPE_BYTES[kind]
    a, amount = e.src(i.operands[1], kind), e.src(i.operands[2], "b32")
    e.put(i.operands[0], shifted(e, i.opcode, kind, a, amount, width))


def shifted(e: Any, opcode: str, kind: str, a: Val, amount: Val, width: int) -> Val:
    arithmetic = opcode == "shr" and kind[0] == "s"
    limit = width - 1 if arithmetic else width
    name = "ashr" if arithmetic else "lshr" if opcode == "shr" else "shl"
    if amount.uniform and amount.name.isdigit():
        # Most amounts are literals: LLVM need not find out what becomes of one.
        known = int(amount.name)
        if known >= width and not arithmetic:
            return e.const(0, kind)
        return e.op(f"{name} {{T}} {{a}}, {{b}}", kind, a, e.const(min(known, width - 1), kind))
    inside = e.op("icmp ult {T} {a}, {b}", "b32", amount, e.const(width, "b32"), out="pred")
    safe = e.resize(e.intrinsic("umin", "b32", amount, e.const(width - 1, "b32")), kind)
    result = e.op(f"{name} {{T}} {{a}}, {{b}}", kind, a, Val(safe.name, kind, safe.uniform))
    return result if limit == width - 1 else e.select(inside, result, e.const(0, kind))


@row("shf", "b32", need="l", allow="wrap clamp")
@row("shf", "b32", need="r", allow="wrap clamp")
def _funnel(e: Any, i: Instruction) -> None:
    """Shift the 64-bit value b:a; left keeps the high word, right the low."""
    a, b, c = (e.src(o, "b32") for o in i.operands[1:])
    both = e.op(
        "or {T} {a}, {b}",
        "b64",
        e.op("shl {T} {a}, {b}", "b64", e.resize(b, "b64"), e.const(32, "b64")),
        e.resize(a, "b64"),
    )
    if "wrap" in i.modifiers:
        amount = e.op("and {T} {a}, {b}", "b32", c, e.const(31, "b32"))
    else:
        amount = e.intrinsic("umin", "b32", c, e.const(32, "b32"))
    wide = e.resize(amount, "b64")
    if "l" in i.modifiers:
        moved = e.op("shl {T} {a}, {b}", "b64", both, wide)
        moved = e.op("lshr {T} {a}, {b}", "b64", moved, e.const(32, "b64"))
    else:
        moved = e.op("lshr {T} {a}, {b}", "b64", both, wide)
    e.put(i.operands[0], e.resize(moved, "b32"))


@row("lop3", "b32")
@row("lop3", "b32", need="or")
@row("lop3", "b32", need="and")
def _lop3(e: Any, i: Instruction) -> None:
    """Any function of three bits. `.or`, `.and` give also a predicate: result not 0, combined with the last operand."""
    table = i.operands[4]
    assert isinstance(table, Immediate)
    inputs = [e.src(o, "b32") for o in i.operands[1:4]]
    inverse = [e.op("xor {T} {a}, {b}", "b32", x, e.const(-1, "b32")) for x in inputs]
    result = e.const(0, "b32")
    for term in range(8):
        if table.value >> term & 1:
            x, y, z = (inputs[n] if term >> (2 - n) & 1 else inverse[n] for n in range(3))
            product = e.op("and {T} {a}, {b}", "b32", e.op("and {T} {a}, {b}", "b32", x, y), z)
            result = e.op("or {T} {a}, {b}", "b32", result, product)
    target = i.operands[0]
    if isinstance(target, Pair):
        some = e.op("icmp ne {T} {a}, {b}", "b32", result, e.const(0, "b32"), out="pred")
        combine = "or" if "or" in i.modifiers else "and"
        e.put(target.second, e.op(f"{combine} {{T}} {{a}}, {{b}}", "pred", some, e.src(i.operands[5], "pred")))
        target = target.first
    e.put(target, result)


def _field(e: Any, kind: str, position: Any, length: Any) -> tuple[Val, Val, str]:
    """Position and length limited to the width, in a type wide enough to shift past it."""
    wide = "b64" if TYPE_BYTES[kind] == 4 else "b128"
    width = 8 * TYPE_BYTES[kind]
    limited = []
    for o in (position, length):
        byte = e.op("and {T} {a}, {b}", "b32", e.src(o, "b32"), e.const(255, "b32"))
        limited.append(e.resize(e.intrinsic("umin", "b32", byte, e.const(width, "b32")), wide))
    return limited[0], limited[1], wide


@row("bfe", "u32 s32 u64 s64")
def _bfe(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    position, length, wide = _field(e, kind, i.operands[2], i.operands[3])
    signed = kind[0] == "s"
    value = e.resize(e.src(i.operands[1], kind), wide, signed)
    moved = e.op(f"{'ashr' if signed else 'lshr'} {{T}} {{a}}, {{b}}", wide, value, position)
    bits = 8 * TYPE_BYTES[wide]
    none = e.op("icmp eq {T} {a}, {b}", wide, length, e.const(0, wide), out="pred")
    room = e.op("sub {T} {a}, {b}", wide, e.const(bits, wide), length)
    room = e.select(none, e.const(0, wide), room)
    up = e.op("shl {T} {a}, {b}", wide, moved, room)
    down = e.op(f"{'ashr' if signed else 'lshr'} {{T}} {{a}}, {{b}}", wide, up, room)
    e.put(i.operands[0], e.resize(e.select(none, e.const(0, wide), down), kind))


@row("bfi", "b32 b64")
def _bfi(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    position, length, wide = _field(e, kind, i.operands[3], i.operands[4])
    a, b = (e.resize(e.src(o, kind), wide) for o in i.operands[1:3])
    one = e.const(1, wide)
    ones = e.op("sub {T} {a}, {b}", wide, e.op("shl {T} {a}, {b}", wide, one, length), one)
    mask = e.op("shl {T} {a}, {b}", wide, ones, position)
    put = e.op("and {T} {a}, {b}", wide, e.op("shl {T} {a}, {b}", wide, a, position), mask)
    keep = e.op("and {T} {a}, {b}", wide, b, e.op("xor {T} {a}, {b}", wide, mask, e.const(-1, wide)))
    e.put(i.operands[0], e.resize(e.op("or {T} {a}, {b}", wide, put, keep), kind))


@row("bfind", "u32 s32 u64 s64", allow="shiftamt")
def _bfind(e: Any, i: Instruction) -> None:
    """Position of the highest bit that differs from the sign (unsigned: highest one); -1 if there is none."""
    kind = i.types[-1]
    width = 8 * TYPE_BYTES[kind]
    a = e.src(i.operands[1], kind)
    if kind[0] == "s":
        a = e.op("xor {T} {a}, {b}", kind, a, e.op("ashr {T} {a}, {b}", kind, a, e.const(width - 1, kind)))
    zeros = e.resize(e.intrinsic("ctlz", kind, a, extra=", i1 false"), "b32")
    found = zeros if "shiftamt" in i.modifiers else e.op("sub {T} {a}, {b}", "b32", e.const(width - 1, "b32"), zeros)
    none = e.op("icmp eq {T} {a}, {b}", kind, a, e.const(0, kind), out="pred")
    e.put(i.operands[0], e.select(none, e.const(-1, "b32"), found))


@row("popc", "b32 b64")
@row("clz", "b32 b64")
def _count_bits(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a = e.src(i.operands[1], kind)
    counted = e.intrinsic("ctpop", kind, a) if i.opcode == "popc" else e.intrinsic("ctlz", kind, a, extra=", i1 false")
    e.put(i.operands[0], e.resize(counted, "b32"))


@row("brev", "b32 b64")
def _brev(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    e.put(i.operands[0], e.intrinsic("bitreverse", kind, e.src(i.operands[1], kind)))


@row("bmsk", "b32", need="clamp")
@row("bmsk", "b32", need="wrap")
def _bmsk(e: Any, i: Instruction) -> None:
    """A run of b ones from bit a."""
    a, b = (e.src(o, "b32") for o in i.operands[1:])
    if "wrap" in i.modifiers:
        a, b = (e.op("and {T} {a}, {b}", "b32", x, e.const(31, "b32")) for x in (a, b))
    else:
        a, b = (e.intrinsic("umin", "b32", x, e.const(32, "b32")) for x in (a, b))
    wide = [e.resize(x, "b64") for x in (a, b)]
    one = e.const(1, "b64")
    ones = e.op("sub {T} {a}, {b}", "b64", e.op("shl {T} {a}, {b}", "b64", one, wide[1]), one)
    e.put(i.operands[0], e.resize(e.op("shl {T} {a}, {b}", "b64", ones, wide[0]), "b32"))


@row("szext", "u32 s32", need="clamp")
@row("szext", "u32 s32", need="wrap")
def _szext(e: Any, i: Instruction) -> None:
    """The low b bits of a, zero- or sign-extended; none of them gives 0."""
    kind = i.types[-1]
    a, b = e.src(i.operands[1], kind), e.src(i.operands[2], "b32")
    if "wrap" in i.modifiers:
        count = e.op("and {T} {a}, {b}", "b32", b, e.const(31, "b32"))
    else:
        count = e.intrinsic("umin", "b32", b, e.const(32, "b32"))
    room = e.op("sub {T} {a}, {b}", "b64", e.const(64, "b64"), e.resize(count, "b64"))
    none = e.op("icmp eq {T} {a}, {b}", "b32", count, e.const(0, "b32"), out="pred")
    room = e.select(none, e.const(0, "b64"), room)
    up = e.op("shl {T} {a}, {b}", "b64", e.resize(a, "b64"), room)
    down = e.op(f"{'ashr' if kind[0] == 's' else 'lshr'} {{T}} {{a}}, {{b}}", "b64", up, room)
    e.put(i.operands[0], e.select(none, e.const(0, "b32"), e.resize(down, "b32")))


@row("fns", "b32", pure=False)
def _fns(e: Any, i: Instruction) -> None:
    """Place of the n-th set bit from a position on, upwards or downwards; -1 if there is none."""
    values = [e.vector(e.src(o, "b32")) for o in i.operands[1:]]
    symbol = e.library.need(rt_lanes.nth_set_bit)
    e.call(symbol, "void", [*(f"{x.type} {x.name}" for x in values), "ptr %scratch"])
    e.put(i.operands[0], e.row("%scratch", 0, "b32"))
