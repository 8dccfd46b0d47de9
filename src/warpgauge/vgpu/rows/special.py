"""The functions that PTX specifies by an error bound only.

They are computed in float64 and rounded once, which is inside every bound. Not bit-exact against hardware.
"""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction

from ..emit import Val
from .floats import flush, per_half, source, widen
from .real import ONE
from .rounding import narrow
from .table import row

_LLVM = {"ex2": "exp2", "lg2": "log2", "sin": "sin", "cos": "cos", "tanh": "tanh"}

_TURN = 0x401921FB54442D18  # 2 pi


def _value(e: Any, i: Instruction, values: list[Val], kind: str) -> Val:
    wide = narrow(e, e.intrinsic(_LLVM[i.opcode], "f64", widen(e, values[0], "f64")), kind)
    return flush(e, wide) if "ftz" in i.modifiers else wide


@row("ex2", "f32", need="approx", allow="ftz")
@row("lg2", "f32", need="approx", allow="ftz")
@row("sin", "f32", need="approx", allow="ftz")
@row("cos", "f32", need="approx", allow="ftz")
@row("tanh", "f32", need="approx")
def _function(e: Any, i: Instruction) -> None:
    """Correctly rounded but for the C library's error; hardware's last bits differ."""
    e.put(i.operands[0], _value(e, i, [source(e, i, i.operands[1], "f32")], "f32"))


@row("sin", "f32", need="approx 2pi ftz")
@row("cos", "f32", need="approx 2pi ftz")
def _of_turns(e: Any, i: Instruction) -> None:
    """Of 2 pi a; whole turns are taken off first, exactly. Hardware's last bits differ."""
    a = widen(e, source(e, i, i.operands[1], "f32"), "f64")
    part = e.op("fsub {T} {a}, {b}", "f64", a, e.intrinsic("rint", "f64", a))
    angle = e.op("fmul {T} {a}, {b}", "f64", part, e.const(_TURN, "f64"))
    e.put(i.operands[0], flush(e, narrow(e, e.intrinsic(_LLVM[i.opcode], "f64", angle), "f32")))


@row("ex2", "f16 f16x2", need="approx")
@row("ex2", "bf16 bf16x2", need="approx ftz")
@row("tanh", "f16 f16x2 bf16 bf16x2", need="approx")
def _half_function(e: Any, i: Instruction) -> None:
    """Correctly rounded; hardware's last bit may differ."""
    per_half(e, i, lambda values, kind: _value(e, i, values, kind))


@row("rsqrt", "f32", need="approx", allow="ftz")
@row("rsqrt", "f64", need="approx", allow="ftz")
def _rsqrt(e: Any, i: Instruction) -> None:
    """Correctly rounded; hardware's last bits differ."""
    kind = i.types[-1]
    a = e.src(i.operands[1], kind)
    ftz = "ftz" in i.modifiers and kind == "f32"
    wide = widen(e, flush(e, a) if ftz else a, "f64")
    result = e.op("fdiv {T} {a}, {b}", "f64", e.const(ONE["f64"], "f64"), e.intrinsic("sqrt", "f64", wide))
    value = narrow(e, result, kind)
    e.put(i.operands[0], flush(e, value) if ftz else value)


@row("rcp", "f64", need="approx ftz")
def _rcp_f64(e: Any, i: Instruction) -> None:
    """Correctly rounded; hardware gives the upper 32 bits only."""
    a = e.src(i.operands[1], "f64")
    e.put(i.operands[0], e.op("fdiv {T} {a}, {b}", "f64", e.const(ONE["f64"], "f64"), a))
