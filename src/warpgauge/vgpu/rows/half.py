"""f16 and bf16, alone and packed: computed wide enough that one rounding to the format is exact."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction

from ..emit import Val
from .floats import clamp, narrow_flushed, per_half, widen
from .real import OPERATIONS, extreme
from .rounding import calculate, narrow, odd_sum
from .table import HALVES, row


def _wide(e: Any, opcode: str, values: list[Val], kind: str) -> Val:
    """f32 holds sums and products of halves exactly or with bits to spare; a product and a sum need f64.

    bf16 spans so many exponents that even f64 can lose the addend that breaks a tie: keep it as a sticky bit.
    """
    if opcode != "fma":
        return calculate(e, OPERATIONS[opcode], "rn", *(widen(e, x, "f32") for x in values))
    a, b, c = (widen(e, x, "f64") for x in values)
    if kind == "f16":
        return calculate(e, "fma", "rn", a, b, c)
    return odd_sum(e, calculate(e, "fmul", "rn", a, b), c)


@row("add", "f16 f16x2", allow="rn ftz sat")
@row("sub", "f16 f16x2", allow="rn ftz sat")
@row("mul", "f16 f16x2", allow="rn ftz sat")
@row("add", "bf16 bf16x2", allow="rn")
@row("sub", "bf16 bf16x2", allow="rn")
@row("mul", "bf16 bf16x2", allow="rn")
@row("fma", "f16 f16x2", need="rn", allow="ftz sat relu")
@row("fma", "bf16 bf16x2", need="rn", allow="relu")
def _half_arithmetic(e: Any, i: Instruction) -> None:
    def compute(values: list[Val], kind: str) -> Val:
        wide = clamp(e, i, _wide(e, i.opcode, values, kind))
        return (narrow_flushed if "ftz" in i.modifiers else narrow)(e, wide, kind)

    per_half(e, i, compute)


@row("min", "f16 f16x2", allow="ftz NaN")
@row("max", "f16 f16x2", allow="ftz NaN")
@row("min", "bf16 bf16x2", allow="NaN")
@row("max", "bf16 bf16x2", allow="NaN")
@row("min", HALVES, need="xorsign abs", allow="ftz NaN")
@row("max", HALVES, need="xorsign abs", allow="ftz NaN")
def _half_min_max(e: Any, i: Instruction) -> None:
    """A number wins over NaN unless `.NaN`; -0 is less than +0."""
    per_half(e, i, lambda values, kind: narrow(e, extreme(e, i, [widen(e, x, "f32") for x in values]), kind))


@row("abs", "f16 f16x2", allow="ftz")
@row("neg", "f16 f16x2", allow="ftz")
@row("abs", "bf16 bf16x2")
@row("neg", "bf16 bf16x2")
def _half_sign(e: Any, i: Instruction) -> None:
    text, mask = ("and {T} {a}, {b}", 0x7FFF) if i.opcode == "abs" else ("xor {T} {a}, {b}", 0x8000)
    per_half(e, i, lambda values, kind: e.op(text, "b16", e.cast(values[0], "b16"), e.const(mask, "b16")))
