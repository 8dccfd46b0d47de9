"""Sums and products that use the condition-code register, for numbers of many words.

PTX calls the flag of a subtraction the borrow, but what a later `addc` finds is the carry of a + ~b + 1. Compiled
128-bit divisions rest on that: they undo a subtraction where `addc` finds nothing.
"""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Instruction
from warpgauge.ptx.cfg import CARRY

from .integer import WIDER, high_product
from .table import row

_WORDS = "u32 s32 u64 s64"


@row("add", _WORDS, need="cc", pure=False)
@row("addc", _WORDS, allow="cc", pure=False)
@row("sub", _WORDS, need="cc", pure=False)
@row("subc", _WORDS, allow="cc", pure=False)
@row("mad", _WORDS, need="lo cc", pure=False)
@row("mad", _WORDS, need="hi cc", pure=False)
@row("madc", _WORDS, need="lo", allow="cc", pure=False)
@row("madc", _WORDS, need="hi", allow="cc", pure=False)
def _carry(e: Any, i: Instruction) -> None:
    """Computed one size wider. A subtraction adds the complement: its flag is set where nothing was borrowed."""
    kind = i.types[-1]
    wide = WIDER[kind[1:]]
    if i.opcode in ("mad", "madc"):
        base = e.src(i.operands[1], kind)
        low = "hi" not in i.modifiers
        a = e.op("mul {T} {a}, {b}", kind, base, e.src(i.operands[2], kind)) if low else high_product(e, i)
        b = e.src(i.operands[3], kind)
    else:
        a, b = (e.src(o, kind) for o in i.operands[1:])
    how = "sub" if i.opcode.startswith("sub") else "add"
    total = e.op(f"{how} {{T}} {{a}}, {{b}}", wide, e.resize(a, wide), e.resize(b, wide))
    if i.opcode.endswith("c"):
        flag = e.get(CARRY)
        if how == "sub":
            flag = e.op("xor {T} {a}, {b}", "pred", flag, e.const(1, "pred"))
        carry = e.op("zext {T} {a} to {D}", "pred", flag, out=wide)
        total = e.op(f"{how} {{T}} {{a}}, {{b}}", wide, total, carry)
    e.put(i.operands[0], e.resize(total, kind))
    if "cc" in i.modifiers:
        top = e.op("lshr {T} {a}, {b}", wide, total, e.const(8 * TYPE_BYTES[kind], wide))
        flag = e.op("trunc {T} {a} to {D}", wide, top, out="pred")
        e.set_carry(e.op("xor {T} {a}, {b}", "pred", flag, e.const(1, "pred")) if how == "sub" else flag)
