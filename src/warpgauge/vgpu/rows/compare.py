"""Comparison and selection."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction, Pair

from ..emit import Val
from .floats import flush, halves, pack, widen
from .table import BITS, FLOATS, HALVES, INTS, row

_INT_SIGNED = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_INT_UNSIGNED = {
    "eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge",
    "lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge",
}  # fmt: skip
_FLOAT = {
    "eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge",
    "equ": "ueq", "neu": "une", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge", "num": "ord", "nan": "uno",
}  # fmt: skip
_ANY_INT, _ANY_FLOAT, _BOOLEAN = " ".join(_INT_UNSIGNED), " ".join(_FLOAT), "and or xor"
_TRUE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80, "f16x2": 0x3C00, "bf16x2": 0x3F80}


def _test(e: Any, i: Instruction, a: Val, b: Val) -> Val:
    """Two values of one type compared as the modifiers say."""
    kind = a.kind
    name = next(m for m in i.modifiers if m in _FLOAT or m in _INT_UNSIGNED)
    if "ftz" in i.modifiers:
        a, b = flush(e, a), flush(e, b)
    if kind in ("f32", "f64"):
        return e.op(f"fcmp {_FLOAT[name]} {{T}} {{a}}, {{b}}", kind, a, b, out="pred")
    if kind in ("f16", "bf16"):
        return e.op(
            f"fcmp {_FLOAT[name]} {{T}} {{a}}, {{b}}", "f32", widen(e, a, "f32"), widen(e, b, "f32"), out="pred"
        )
    table = _INT_SIGNED if kind[0] == "s" else _INT_UNSIGNED
    return e.op(f"icmp {table[name]} {{T}} {{a}}, {{b}}", kind, a, b, out="pred")


def _outcomes(e: Any, i: Instruction) -> list[Val]:
    """One predicate, or for packed halves two, lower half first."""
    kind = i.types[-1]
    single = kind.removesuffix("x2")
    if kind == single:
        return [_test(e, i, *(e.src(o, kind) for o in i.operands[1:3]))]
    sides = [halves(e, e.src(o, "b32"), single) for o in i.operands[1:3]]
    return [_test(e, i, *(s[n] for s in sides)) for n in (0, 1)]


def _combined(e: Any, i: Instruction, results: list[Val]) -> list[Val]:
    """Each combined with the predicate operand, if there is one."""
    boolean = next((m for m in i.modifiers if m in _BOOLEAN.split()), None)
    if boolean is None:
        return results
    c = e.src(i.operands[3], "pred")
    return [e.op(f"{boolean} {{T}} {{a}}, {{b}}", "pred", x, c) for x in results]


@row("setp", f"{INTS} {BITS}", allow=f"{_ANY_INT} {_BOOLEAN}")
@row("setp", "f32", allow=f"{_ANY_FLOAT} {_BOOLEAN} ftz")
@row("setp", "f64", allow=f"{_ANY_FLOAT} {_BOOLEAN}")
@row("setp", HALVES, allow=f"{_ANY_FLOAT} {_BOOLEAN} ftz")
def _setp(e: Any, i: Instruction) -> None:
    """A second destination receives the complement; of packed halves the upper half's outcome."""
    results = _outcomes(e, i)
    if len(results) == 1:
        results.append(e.op("xor {T} {a}, {b}", "pred", results[0], e.const(1, "pred")))
    p, q = _combined(e, i, results)
    target = i.operands[0]
    if isinstance(target, Pair):
        e.put(target.first, p)
        e.put(target.second, q)
    else:
        e.put(target, p)


@row("set", INTS, to="u32 s32 f32", allow=f"{_ANY_INT} {_BOOLEAN}")
@row("set", FLOATS, to="u32 s32 f32", allow=f"{_ANY_FLOAT} {_BOOLEAN} ftz")
@row("set", "f16 bf16", to="u16 s16 u32 s32 f16 bf16", allow=f"{_ANY_FLOAT} {_BOOLEAN} ftz")
@row("set", "f16x2 bf16x2", to="u32 s32 f16x2 bf16x2", allow=f"{_ANY_FLOAT} {_BOOLEAN} ftz")
def _set(e: Any, i: Instruction) -> None:
    """All ones (integer result) or 1.0 (float result) where the comparison holds."""
    to = i.types[0]
    results = _combined(e, i, _outcomes(e, i))
    kind = to if len(results) == 1 else "b16"
    values = [e.select(p, e.const(_TRUE.get(to, -1), kind), e.const(0, kind)) for p in results]
    e.put(i.operands[0], values[0] if len(values) == 1 else pack(e, *values))


@row("selp", f"{INTS} {FLOATS} {BITS}")
def _selp(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:3])
    e.put(i.operands[0], e.select(e.src(i.operands[3], "pred"), a, b))


@row("slct", "s32", to=f"{INTS} {FLOATS} {BITS}")
@row("slct", "f32", to=f"{INTS} {FLOATS} {BITS}", allow="ftz")
def _slct(e: Any, i: Instruction) -> None:
    """a where c >= 0, else b; a NaN c chooses b."""
    kind, test = i.types
    a, b = (e.src(o, kind) for o in i.operands[1:3])
    c = e.src(i.operands[3], test)
    c = flush(e, c) if "ftz" in i.modifiers else c
    how = "fcmp oge" if test == "f32" else "icmp sge"
    e.put(i.operands[0], e.select(e.op(f"{how} {{T}} {{a}}, {{b}}", test, c, e.const(0, test), out="pred"), a, b))
