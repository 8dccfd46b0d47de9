"""Logic, shifts, bit fields and byte permutation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Immediate, Instruction

from . import formats
from .formats import Words
from .integer import each
from .rows import ValueOp

LOGIC: dict[str, Callable[..., Words]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
Lane = Callable[..., int]


def kind_of(i: Instruction) -> str:
    return i.types[-1] if i.types else "pred"


def logic(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    return ValueOp((kind, kind), (kind,), LOGIC[i.opcode])


def invert(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    if kind == "pred":
        return ValueOp((kind,), (kind,), np.logical_not)
    return ValueOp((kind,), (kind,), lambda a: ~a & formats.mask_of(kind))


def is_zero(i: Instruction) -> ValueOp:
    """cnot: 1 for zero, 0 for all else."""
    kind = i.types[-1]
    return ValueOp((kind,), (kind,), lambda a: (a == 0).astype(np.uint64))


def shift(i: Instruction) -> ValueOp:
    """Counts of the width or more shift everything out: zeros, or copies of the sign for signed right shifts."""
    kind = i.types[-1]
    width = 8 * TYPE_BYTES[kind]

    def left(a: int, n: int) -> int:
        return a << n if n < width else 0

    def right(a: int, n: int) -> int:
        return a >> min(n, width)

    one = left if i.opcode == "shl" else right
    signed = kind if kind[0] == "s" else f"u{width}"

    def function(a: Words, n: Words) -> Words:
        values = formats.integers(a, signed).tolist()
        return formats.from_list([one(v, c) for v, c in zip(values, n.tolist(), strict=True)], kind)

    return ValueOp((kind, "u32"), (kind,), function)


def funnel(i: Instruction) -> ValueOp:
    """shf: a is the low word, b the high word of what is shifted."""
    wraps = "wrap" in i.modifiers

    def one(a: int, b: int, n: int) -> int:
        n = n & 31 if wraps else min(n, 32)
        both = b << 32 | a
        return both >> n if "r" in i.modifiers else both << n >> 32

    return ValueOp(("b32", "b32", "u32"), ("b32",), each(one, "b32", "b32"))


def lop3(i: Instruction) -> ValueOp:
    """Bit n of the table answers inputs (a, b, c) = the bits of n, a the highest. A predicate may follow."""
    combine = next((m for m in i.modifiers if m in LOGIC), None)
    table = i.operands[4]
    assert isinstance(table, Immediate)

    def lookup(a: Words, b: Words, c: Words) -> Words:
        out = np.zeros(a.shape, np.uint64)
        for n in range(8):
            if table.value >> n & 1:
                out |= (a if n & 4 else ~a) & (b if n & 2 else ~b) & (c if n & 1 else ~c)
        return out & formats.mask_of("b32")

    if combine is None:
        return ValueOp(("b32",) * 3 + ("b32",), ("b32",), lambda a, b, c, _: lookup(a, b, c))

    def function(a: Words, b: Words, c: Words, _: Words, q: Words) -> tuple[Words, Words]:
        out = lookup(a, b, c)
        return out, LOGIC[combine](out != 0, q)

    return ValueOp(("b32",) * 4 + ("pred",), ("b32", "pred"), function)


# Byte numbers for each value of the two low selector bits, lowest result byte first.
PERMUTATIONS: dict[str, Callable[[int], list[int]]] = {
    "f4e": lambda n: [n, n + 1, n + 2, n + 3],
    "b4e": lambda n: [n, (n - 1) & 7, (n - 2) & 7, (n - 3) & 7],
    "rc8": lambda n: [n] * 4,
    "ecl": lambda n: [max(n, k) for k in range(4)],
    "ecr": lambda n: [min(n, k) for k in range(4)],
    "rc16": lambda n: [2 * (n & 1), 2 * (n & 1) + 1] * 2,
}


def permute(i: Instruction) -> ValueOp:
    mode = next((m for m in i.modifiers if m in PERMUTATIONS), None)

    def one(a: int, b: int, selector: int) -> int:
        source = (b << 32 | a).to_bytes(8, "little")
        if mode:
            return int.from_bytes(bytes(source[n] for n in PERMUTATIONS[mode](selector & 3)), "little")
        out = 0
        for k in range(4):
            nibble = selector >> 4 * k & 15
            byte = source[nibble & 7]
            if nibble & 8:
                byte = 255 if byte & 128 else 0
            out |= byte << 8 * k
        return out

    return ValueOp(("b32",) * 3, ("b32",), each(one, "b32", "b32"))


def extract(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    width = 8 * TYPE_BYTES[kind]

    def function(a: Words, at: Words, length: Words) -> Words:
        values = formats.integers(a, kind).tolist()
        out = []
        for v, p, n in zip(values, (at & np.uint64(255)).tolist(), (length & np.uint64(255)).tolist(), strict=True):
            # Python's >> repeats the sign, and an unsigned v is followed by zeros.
            field = v >> p
            if n < width:
                field &= (1 << n) - 1
            top = min(p + n - 1, width - 1)
            if kind[0] == "s" and n and v >> top & 1:
                field |= -1 << n
            out.append(field)
        return formats.from_list(out, kind)

    return ValueOp((kind, "u32", "u32"), (kind,), function)


def insert(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    width = 8 * TYPE_BYTES[kind]

    def function(a: Words, b: Words, at: Words, length: Words) -> Words:
        out = []
        for v, w, p, n in zip(a.tolist(), b.tolist(), at.tolist(), length.tolist(), strict=True):
            p, n = p & 255, n & 255
            field = (((1 << n) - 1) << p) & ((1 << width) - 1)
            out.append((w & ~field) | ((v << p) & field))
        return formats.from_list(out, kind)

    return ValueOp((kind, kind, "u32", "u32"), (kind,), function)


def _leading(kind: str, shiftamt: bool) -> Lane:
    width = 8 * TYPE_BYTES[kind]

    def one(v: int) -> int:
        at = (v if v >= 0 else ~v).bit_length() - 1
        return at if at < 0 or not shiftamt else width - 1 - at

    return one


def find_leading(i: Instruction) -> ValueOp:
    """Place of the highest bit that differs from the sign; all ones if there is none."""
    kind = i.types[-1]
    return ValueOp((kind,), ("u32",), each(_leading(kind, "shiftamt" in i.modifiers), kind, "u32"))


def counted(function: Callable[[int, int], int], result: str = "u32") -> Callable[[Instruction], ValueOp]:
    """A row of (value, width) -> count."""

    def row(i: Instruction) -> ValueOp:
        kind = i.types[-1]
        width = 8 * TYPE_BYTES[kind]
        out = result or kind
        return ValueOp((kind,), (out,), each(lambda v: function(v, width), kind, out))

    return row


def nth_set(i: Instruction) -> ValueOp:
    """fns: place of the |offset|-th set bit of the mask from base, upwards for positive offsets; all ones if none."""

    def one(mask: int, base: int, offset: int) -> int:
        if base > 31:
            return -1
        offset = offset - (1 << 32) if offset >> 31 else offset
        if offset == 0:
            return base if mask >> base & 1 else -1
        places = range(base, 32) if offset > 0 else range(base, -1, -1)
        found = [p for p in places if mask >> p & 1]
        return found[abs(offset) - 1] if abs(offset) <= len(found) else -1

    return ValueOp(("b32", "b32", "s32"), ("b32",), each(one, "b32", "b32"))


def bit_mask(i: Instruction) -> ValueOp:
    """bmsk: `b` ones from place `a`; wrap takes both modulo 32, clamp caps them at 32."""
    wraps = "wrap" in i.modifiers

    def one(a: int, b: int) -> int:
        a, b = (a & 31, b & 31) if wraps else (min(a, 32), min(b, 32))
        return ((1 << b) - 1) << a

    return ValueOp(("u32", "u32"), ("b32",), each(one, "u32", "b32"))


def extend(i: Instruction) -> ValueOp:
    """szext: keep the low n bits, sign- or zero-extended."""
    kind = i.types[-1]
    wraps = "wrap" in i.modifiers

    def one(a: int, n: int) -> int:
        n = n & 31 if wraps else min(n, 32)
        low = a & ((1 << n) - 1)
        return low - (1 << n) if kind[0] == "s" and n and low >> (n - 1) else low

    return ValueOp((kind, "u32"), (kind,), each(one, "u32", kind))


ROWS: dict[str, Callable[[Instruction], ValueOp]] = {
    "createpolicy": lambda i: ValueOp(("f32",) * (len(i.operands) - 1), ("b64",), lambda *_: np.zeros(32, np.uint64)),
    "and": logic,
    "or": logic,
    "xor": logic,
    "not": invert,
    "cnot": is_zero,
    "shl": shift,
    "shr": shift,
    "shf": funnel,
    "lop3": lop3,
    "prmt": permute,
    "bfe": extract,
    "bfi": insert,
    "bfind": find_leading,
    "brev": counted(lambda v, width: int(f"{v:0{width}b}"[::-1], 2), ""),
    "clz": counted(lambda v, width: width - v.bit_length()),
    "popc": counted(lambda v, _: v.bit_count()),
    "fns": nth_set,
    "bmsk": bit_mask,
    "szext": extend,
}
