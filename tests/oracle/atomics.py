"""Read-modify-write operations, one lane after the other in lane order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Instruction

from . import formats
from .rows import Unsupported

Update = Callable[[int, int], int]  # (old bits, operand bits) -> new bits


def _signed(v: int, kind: str) -> int:
    bits = 8 * TYPE_BYTES[kind]
    return v - (1 << bits) if kind[0] == "s" and v >> (bits - 1) else v


def _pick(choose: Callable[[int, int], int]) -> Callable[[str], Update]:
    return lambda kind: lambda old, v: choose(old, v, key=lambda x: _signed(x, kind))  # type: ignore[call-arg]


def _float_add(kind: str, flushes: bool) -> Update:
    def add(old: int, v: int) -> int:
        a, b = (formats.floats(np.array([x], np.uint64), kind) for x in (old, v))
        if flushes:
            a, b = formats.flush(a, kind), formats.flush(b, kind)
        head, rest = formats.two_sum(a, b)
        total = head if kind == "f64" else formats.narrow(formats.to_odd(head, rest), kind)
        return int(formats.pack(formats.flush(total, kind) if flushes else total, kind)[0])

    return add


INTEGER: dict[str, Callable[[str], Update]] = {
    "add": lambda kind: lambda old, v: old + v,
    "min": _pick(min),
    "max": _pick(max),
    "and": lambda kind: lambda old, v: old & v,
    "or": lambda kind: lambda old, v: old | v,
    "xor": lambda kind: lambda old, v: old ^ v,
    "exch": lambda kind: lambda old, v: v,
    "inc": lambda kind: lambda old, v: 0 if old >= v else old + 1,
    "dec": lambda kind: lambda old, v: v if old == 0 or old > v else old - 1,
}


def update_of(i: Instruction, space: str) -> Update:
    """The new value for an atom or red instruction (not cas). f32 sums in global memory flush subnormals."""
    kind = i.types[-1]
    op = next((m for m in i.modifiers if m in INTEGER), "")
    limit = (1 << 8 * TYPE_BYTES[kind]) - 1
    part = formats.HALVES.get(kind, kind)
    if formats.is_float(part) and op != "exch":
        if op != "add":
            raise Unsupported(i.text)
        add = _float_add(part, flushes=kind == "f32" and space == "global")
        if part == kind:
            return add
        return lambda old, v: add(old & 0xFFFF, v & 0xFFFF) | add(old >> 16, v >> 16) << 16
    if not op:
        raise Unsupported(i.text)
    change = INTEGER[op](kind)
    return lambda old, v: change(old, v) & limit
