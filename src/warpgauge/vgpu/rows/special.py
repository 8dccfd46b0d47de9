"""Reciprocals, roots and the approximate functions.

The approximate forms are specified by an error bound only; here they are computed in float64 and rounded once, which
is inside every bound. Not bit-exact against hardware.
"""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction

from ..emit import Val
from .arith import float_source, half_source
from .floats import flush, narrow, widen
from .table import FLOATS, row


def _finish(e: Any, i: Instruction, value: Val, kind: str) -> None:
    value = narrow(e, value, kind) if value.kind != kind else value
    if "ftz" in i.modifiers and kind == "f32":
        value = flush(e, value)
    e.put(i.operands[0], Val(value.name, "b16", value.uniform) if kind == "bf16" else value)


@row("rcp", FLOATS, need="rn", allow="ftz")
@row("rcp", "f32", need="approx", allow="ftz")
@row("rcp", "f64", need="approx ftz")
def _rcp(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    one = e.const(0x3F800000 if kind == "f32" else 0x3FF0000000000000, kind)
    _finish(e, i, e.op("fdiv {T} {a}, {b}", kind, one, float_source(e, i, 1, kind)), kind)


@row("sqrt", FLOATS, need="rn", allow="ftz")
@row("sqrt", "f32", need="approx", allow="ftz")
def _sqrt(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    _finish(e, i, e.intrinsic("sqrt", kind, float_source(e, i, 1, kind)), kind)


@row("rsqrt", FLOATS, need="approx", allow="ftz")
def _rsqrt(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a = widen(e, float_source(e, i, 1, kind), "f64")
    one = e.const(0x3FF0000000000000, "f64")
    _finish(e, i, e.op("fdiv {T} {a}, {b}", "f64", one, e.intrinsic("sqrt", "f64", a)), kind)


@row("ex2", "f32 f16 bf16", need="approx", allow="ftz")
@row("lg2", "f32", need="approx", allow="ftz")
@row("sin", "f32", need="approx", allow="ftz")
@row("cos", "f32", need="approx", allow="ftz")
@row("tanh", "f32 f16 bf16", need="approx", allow="ftz")
def _function(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a = float_source(e, i, 1, kind) if kind == "f32" else half_source(e, i.operands[1], kind)
    name = {"ex2": "exp2", "lg2": "log2"}.get(i.opcode, i.opcode)
    _finish(e, i, e.intrinsic(name, "f64", widen(e, a, "f64")), kind)
