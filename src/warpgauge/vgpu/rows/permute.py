"""prmt: bytes picked out of two registers."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction

from .table import add_row

_MODES = {
    "f4e": lambda n, c: [(c + k) & 7 for k in range(4)][n],
    "b4e": lambda n, c: [(c - k) & 7 for k in range(4)][n],
    "rc8": lambda n, c: c,
    "ecl": lambda n, c: max(n, c),
    "ecr": lambda n, c: min(n, c),
    "rc16": lambda n, c: (n & 1) + 2 * (c & 1),
}


def _prmt(e: Any, i: Instruction) -> None:
    """Four bytes picked out of b:a; bit 3 of a selector spreads the byte's sign."""
    a, b, c = (e.src(o, "b32") for o in i.operands[1:4])
    both = e.op(
        "or {T} {a}, {b}",
        "b64",
        e.op("shl {T} {a}, {b}", "b64", e.resize(b, "b64"), e.const(32, "b64")),
        e.resize(a, "b64"),
    )
    mode = next((m for m in i.modifiers if m in _MODES), None)
    result = e.const(0, "b32")
    for n in range(4):
        if mode is None:
            nibble = e.op("lshr {T} {a}, {b}", "b32", c, e.const(4 * n, "b32"))
            index = e.op("and {T} {a}, {b}", "b32", nibble, e.const(7, "b32"))
        else:
            low = e.op("and {T} {a}, {b}", "b32", c, e.const(3, "b32"))
            index = e.const(_MODES[mode](n, 0), "b32")
            for step in range(1, 4):
                here = e.op("icmp eq {T} {a}, {b}", "b32", low, e.const(step, "b32"), out="pred")
                index = e.select(here, e.const(_MODES[mode](n, step), "b32"), index)
        amount = e.resize(e.op("shl {T} {a}, {b}", "b32", index, e.const(3, "b32")), "b64")
        moved = e.resize(e.op("lshr {T} {a}, {b}", "b64", both, amount), "b32")
        byte = e.op("and {T} {a}, {b}", "b32", moved, e.const(255, "b32"))
        if mode is None:
            sign = e.op("and {T} {a}, {b}", "b32", nibble, e.const(8, "b32"))
            spread = e.op("icmp ne {T} {a}, {b}", "b32", sign, e.const(0, "b32"), out="pred")
            negative = e.op("icmp ugt {T} {a}, {b}", "b32", byte, e.const(127, "b32"), out="pred")
            byte = e.select(spread, e.select(negative, e.const(255, "b32"), e.const(0, "b32")), byte)
        result = e.op("or {T} {a}, {b}", "b32", result, e.op("shl {T} {a}, {b}", "b32", byte, e.const(8 * n, "b32")))
    e.put(i.operands[0], result)


add_row("prmt", "b32", _prmt)
for _mode in _MODES:
    add_row("prmt", "b32", _prmt, need=_mode)
