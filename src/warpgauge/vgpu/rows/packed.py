"""Distances of packed bytes and halves, part by part or added up."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction

from .table import row


@row("vabsdiff2", "u32", to="u32", middle="u32", allow="add")
@row("vabsdiff4", "u32", to="u32", middle="u32", allow="add")
def _distances(e: Any, i: Instruction) -> None:
    """Of the unsigned parts of a and b; `.add` sums them onto c."""
    bits = 8 if i.opcode.endswith("4") else 16
    a, b, total = (e.src(o, "b32") for o in i.operands[1:])
    result = total if "add" in i.modifiers else e.const(0, "b32")
    low = e.const((1 << bits) - 1, "b32")
    for at in range(0, 32, bits):
        x, y = (
            e.op("and {T} {a}, {b}", "b32", e.op("lshr {T} {a}, {b}", "b32", v, e.const(at, "b32")), low)
            for v in (a, b)
        )
        size = e.intrinsic("abs", "b32", e.op("sub {T} {a}, {b}", "b32", x, y), extra=", i1 false")
        if "add" not in i.modifiers:
            size = e.op("shl {T} {a}, {b}", "b32", size, e.const(at, "b32"))
        result = e.op("add {T} {a}, {b}", "b32", result, size)
    e.put(i.operands[0], result)
