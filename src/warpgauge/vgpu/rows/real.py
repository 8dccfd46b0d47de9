"""f32 and f64 arithmetic in the four rounding modes, extremes and signs."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction

from ..emit import Val
from .floats import clamp, flush, flush_result, source
from .rounding import MODES, calculate
from .table import FLOATS, add_row, row

OPERATIONS = {
    "add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "rcp": "fdiv", "sqrt": "sqrt", "fma": "fma",
    "mad": "fma",
}  # fmt: skip
ONE = {"f32": 0x3F800000, "f64": 0x3FF0000000000000}
_ANY_MODE = " ".join(MODES)


def _arithmetic(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    e.put(i.operands[0], _calculated(e, i, [source(e, i, o, kind) for o in i.operands[1:]], kind))


def _pairs(e: Any, i: Instruction) -> None:
    """Two f32 side by side, each as if alone."""
    words = [e.src(o, "b64") for o in i.operands[1:]]
    results = []
    for shift in (0, 32):
        parts = [e.op("lshr {T} {a}, {b}", "b64", w, e.const(shift, "b64")) for w in words]
        operands = [e.cast(e.resize(p, "b32"), "f32") for p in parts]
        operands = [flush(e, a) for a in operands] if "ftz" in i.modifiers else operands
        results.append(e.resize(e.cast(_calculated(e, i, operands, "f32"), "b32"), "b64"))
    upper = e.op("shl {T} {a}, {b}", "b64", results[1], e.const(32, "b64"))
    e.put(i.operands[0], e.op("or {T} {a}, {b}", "b64", results[0], upper))


def _calculated(e: Any, i: Instruction, operands: list[Val], kind: str) -> Val:
    """One rounded result of operands that are flushed already."""
    operation = OPERATIONS[i.opcode]
    mode = next((m for m in i.modifiers if m in MODES), "rn")
    if i.opcode == "rcp":
        operands.insert(0, e.const(ONE[kind], kind))

    def compute(values: list[Val]) -> Val:
        return calculate(e, operation, mode, *values)

    value = compute(operands)
    if "ftz" in i.modifiers:
        value = flush_result(e, value, operation, compute, operands)
    return clamp(e, i, value)


for _op in ("add", "sub", "mul"):
    add_row(_op, "f32", _arithmetic, allow=f"{_ANY_MODE} ftz sat")
    add_row(_op, "f64", _arithmetic, allow=_ANY_MODE)
    add_row(_op, "f32x2", _pairs, allow=f"{_ANY_MODE} ftz")
for _mode in MODES:
    add_row("fma", "f32x2", _pairs, need=_mode, allow="ftz")
    for _op in ("fma", "mad"):
        add_row(_op, "f32", _arithmetic, need=_mode, allow="ftz sat")
        add_row(_op, "f64", _arithmetic, need=_mode)
    for _op in ("div", "rcp", "sqrt"):
        add_row(_op, "f32", _arithmetic, need=_mode, allow="ftz")
        add_row(_op, "f64", _arithmetic, need=_mode)


def extreme(e: Any, i: Instruction, values: list[Val]) -> Val:
    """min or max of two or three: a number wins over NaN (unless `.NaN`), -0 is less than +0.

    `.xorsign.abs` compares sizes and gives the result the product's sign.
    """
    name = f"{i.opcode}imum" + ("" if "NaN" in i.modifiers else "num")
    kind = values[0].kind
    if "abs" not in i.modifiers:
        result = values[0]
        for value in values[1:]:
            result = e.intrinsic(name, kind, result, value)
        return result
    sizes = [e.intrinsic("fabs", kind, x) for x in values]
    bits = "b32" if kind == "f32" else "b64"
    signs = e.op("xor {T} {a}, {b}", bits, *(e.cast(x, bits) for x in values))
    return e.intrinsic("copysign", kind, e.intrinsic(name, kind, *sizes), e.cast(signs, kind))


@row("min", "f32", allow="ftz NaN")
@row("max", "f32", allow="ftz NaN")
@row("min", "f32", need="xorsign abs", allow="ftz NaN")
@row("max", "f32", need="xorsign abs", allow="ftz NaN")
@row("min", "f64")
@row("max", "f64")
def _min_max(e: Any, i: Instruction) -> None:
    """A number wins over NaN unless `.NaN`; -0 is less than +0."""
    e.put(i.operands[0], extreme(e, i, [source(e, i, o, i.types[-1]) for o in i.operands[1:]]))


@row("abs", "f32", allow="ftz")
@row("neg", "f32", allow="ftz")
@row("abs", "f64")
@row("neg", "f64")
def _sign(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a = source(e, i, i.operands[1], kind)
    e.put(i.operands[0], e.intrinsic("fabs", kind, a) if i.opcode == "abs" else e.op("fneg {T} {a}", kind, a))


@row("copysign", FLOATS)
def _copysign(e: Any, i: Instruction) -> None:
    """The size of b with the sign of a."""
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:])
    e.put(i.operands[0], e.intrinsic("copysign", kind, b, a))


_CLASSES = {"finite": 0x1F8, "infinite": 0x204, "number": 0x3FC, "notanumber": 0x3, "normal": 0x168, "subnormal": 0x90}


def _testp(e: Any, i: Instruction) -> None:
    """Zeros count as normal."""
    kind = i.types[-1]
    a = e.vector(e.src(i.operands[1], kind))
    mask = next(_CLASSES[m] for m in i.modifiers if m in _CLASSES)
    name = "llvm.is.fpclass.v32" + kind
    e.declare(f"<32 x i1> @{name}({a.type}, i32)")
    e.put(i.operands[0], e.let(f"call <32 x i1> @{name}({a.type} {a.name}, i32 {mask})", "pred", False))


for _class in _CLASSES:
    add_row("testp", FLOATS, _testp, need=_class)


# -- defined by an error bound only: computed in float64 and rounded once, which is inside every bound ----------------
def _approximate(e: Any, i: Instruction) -> None:
    """Correctly rounded; hardware's last bits differ."""
    kind = i.types[-1]
    operands = [source(e, i, o, kind) for o in i.operands[1:]]
    if i.opcode == "rcp":
        operands.insert(0, e.const(ONE[kind], kind))
    value = calculate(e, OPERATIONS[i.opcode], "rn", *operands)
    e.put(i.operands[0], flush(e, value) if "ftz" in i.modifiers and kind == "f32" else value)


add_row("div", "f32", _approximate, need="approx", allow="ftz")
add_row("div", "f32", _approximate, need="full", allow="ftz")
add_row("rcp", "f32", _approximate, need="approx", allow="ftz")
add_row("sqrt", "f32", _approximate, need="approx", allow="ftz")
