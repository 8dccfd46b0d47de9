"""Integer arithmetic, with and without the carry flag."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Instruction

from . import formats
from .formats import Words
from .rows import ValueOp, halves

WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


def limits(kind: str) -> tuple[int, int]:
    bits = 8 * TYPE_BYTES[kind]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)


def lists(kind: str, *raw: Words) -> list[list[int]]:
    return [formats.integers(r, kind).tolist() for r in raw]


def each(function: Callable[..., int], kind: str, result: str, saturate: bool = False) -> Callable[..., Words]:
    """Exact Python integers lane by lane, then wrapped or clamped to `result`."""
    low, high = limits(result)

    def apply(*raw: Words) -> Words:
        out = [function(*v) for v in zip(*lists(kind, *raw), strict=True)]
        return formats.from_list([min(max(v, low), high) for v in out] if saturate else out, result)

    return apply


def quotient(a: int, b: int) -> int:
    """Towards zero. Division by zero is unspecified in PTX; hardware gives all ones, and so do we."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return a if b == 0 else a - quotient(a, b) * b


def _times(i: Instruction, kind: str) -> tuple[Callable[[int, int], int], str]:
    """The product's part that the modifiers name, and the result type."""
    bits = 8 * TYPE_BYTES[kind]
    if i.opcode.endswith("24"):

        def part(v: int) -> int:
            v &= 0xFFFFFF
            return v - (1 << 24) if kind[0] == "s" and v >> 23 else v

        shift = 16 if "hi" in i.modifiers else 0
        return lambda a, b: (part(a) * part(b)) >> shift, kind
    if "wide" in i.modifiers:
        return lambda a, b: a * b, WIDER[kind]
    shift = bits if "hi" in i.modifiers else 0
    return lambda a, b: (a * b) >> shift, kind


def multiply(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    times, result = _times(i, kind)
    if "lo" in i.modifiers and not i.opcode.endswith("24"):
        return ValueOp((kind,) * 2, (kind,), lambda a, b: (a * b) & formats.mask_of(kind))
    return ValueOp((kind,) * 2, (result,), each(times, kind, result))


def multiply_add(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    times, result = _times(i, kind)
    low, high = limits(result)
    clamp = "sat" in i.modifiers
    wrap = formats.mask_of(result)
    if "lo" in i.modifiers and not i.opcode.endswith("24"):
        return ValueOp((kind,) * 3, (kind,), lambda a, b, c: (a * b + c) & wrap)

    def function(a: Words, b: Words, c: Words) -> Words:
        products = [times(x, y) for x, y in zip(*lists(kind, a, b), strict=True)]
        sums = [p + z for p, z in zip(products, lists(result, c)[0], strict=True)]
        return formats.from_list([min(max(v, low), high) for v in sums] if clamp else sums, result)

    return ValueOp((kind, kind, result), (result,), function)


def add_or_subtract(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    sign = 1 if i.opcode == "add" else -1
    if kind in formats.HALVES:
        part = formats.mask_of(formats.HALVES[kind])
        return ValueOp((kind,) * 2, (kind,), halves(lambda a, b: (a + b) & part))
    if "sat" in i.modifiers:
        return ValueOp((kind,) * 2, (kind,), each(lambda a, b: a + sign * b, kind, kind, saturate=True))
    wrap = formats.mask_of(kind)
    if sign > 0:
        return ValueOp((kind,) * 2, (kind,), lambda a, b: (a + b) & wrap)
    return ValueOp((kind,) * 2, (kind,), lambda a, b: (a - b) & wrap)


def with_carry(i: Instruction) -> ValueOp:
    """add.cc, addc, sub.cc, subc, mad.cc, madc: the flag comes in last and, with .cc, goes out last.

    A subtraction adds the complement of b, so its flag is set where nothing was borrowed.
    """
    kind = i.types[-1]
    limit = limits(kind)[1] if kind[0] == "u" else (1 << 8 * TYPE_BYTES[kind]) - 1
    unsigned = "u" + kind[1:]
    takes, gives = i.opcode in ("addc", "subc", "madc"), "cc" in i.modifiers
    multiplies, subtracts = i.opcode in ("mad", "madc"), i.opcode in ("sub", "subc")
    count = 3 if multiplies else 2
    times = _times(i, kind)[0] if multiplies else None

    def function(*raw: Words) -> tuple[Words, ...]:
        flags = [bool(c) for c in raw[count]] if takes else [subtracts] * len(raw[0])
        carry = [int(flag != subtracts) for flag in flags]
        if times is None:
            first = lists(unsigned, raw[0])[0]
        else:
            first = [times(a, b) & limit for a, b in zip(*lists(kind, *raw[:2]), strict=True)]
        second = lists(unsigned, raw[count - 1])[0]
        totals = [a - b - c if subtracts else a + b + c for a, b, c in zip(first, second, carry, strict=True)]
        out = np.array([(v < 0 or v > limit) != subtracts for v in totals])
        return (formats.from_list(totals, kind), out) if gives else (formats.from_list(totals, kind),)

    sources = (kind,) * count + (("pred",) if takes else ())
    return ValueOp(sources, (kind, "pred") if gives else (kind,), function)


def extreme(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    pick = np.minimum if i.opcode == "min" else np.maximum
    scalar = formats.HALVES.get(kind, kind)
    relu = "relu" in i.modifiers

    def function(a: Words, b: Words) -> Words:
        out = pick(formats.integers(a, scalar), formats.integers(b, scalar))
        return formats.words(np.maximum(out, 0) if relu else out, scalar)

    return ValueOp((kind,) * 2, (kind,), halves(function) if scalar != kind else function)


def simple(function: Callable[..., int]) -> Callable[[Instruction], ValueOp]:
    """A row whose operands and result share one type."""

    def row(i: Instruction) -> ValueOp:
        kind = i.types[-1]
        return ValueOp((kind,) * (len(i.operands) - 1), (kind,), each(function, kind, kind))

    return row


def dot_product(i: Instruction) -> ValueOp:
    """dp4a: four byte products; dp2a: two 16-bit by byte products, with the lower or upper bytes of b."""
    first, second = i.types[-2:]
    result = "u32" if first == second == "u32" else "s32"
    four = i.opcode == "dp4a"
    step, skip = (8, 0) if four else (16, 2 if "hi" in i.modifiers else 0)

    def part(v: int, at: int, bits: int, kind: str) -> int:
        v = v >> at & ((1 << bits) - 1)
        return v - (1 << bits) if kind[0] == "s" and v >> (bits - 1) else v

    def one(a: int, b: int, c: int) -> int:
        count = 4 if four else 2
        return c + sum(part(a, step * n, step, first) * part(b, 8 * (n + skip), 8, second) for n in range(count))

    return ValueOp((first, second, result), (result,), each(one, "u32", result))


def distances(i: Instruction) -> ValueOp:
    """vabsdiff2, vabsdiff4: the distances of the unsigned parts, side by side or (`.add`) summed onto c."""
    bits = 8 if i.opcode == "vabsdiff4" else 16
    places, mask = range(0, 32, bits), (1 << bits) - 1

    def one(a: int, b: int, c: int) -> int:
        sizes = [abs((a >> at & mask) - (b >> at & mask)) for at in places]
        return c + sum(sizes) if "add" in i.modifiers else sum(s << at for s, at in zip(sizes, places, strict=True))

    return ValueOp(("u32",) * 3, ("u32",), each(one, "u32", "u32"))


ROWS: dict[str, Callable[[Instruction], ValueOp]] = {
    "add": add_or_subtract,
    "sub": add_or_subtract,
    "mul": multiply,
    "mul24": multiply,
    "mad": multiply_add,
    "mad24": multiply_add,
    "div": simple(quotient),
    "rem": simple(remainder),
    "min": extreme,
    "max": extreme,
    "abs": simple(abs),
    "neg": simple(lambda a: -a),
    "sad": simple(lambda a, b, c: c + abs(a - b)),
    "dp4a": dot_product,
    "dp2a": dot_product,
    "vabsdiff2": distances,
    "vabsdiff4": distances,
}
