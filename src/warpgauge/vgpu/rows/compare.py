"""Comparison and selection."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction, Pair

from ..emit import Unsupported, Val
from .arith import half_source
from .floats import flush, halves, widen
from .table import ALL, BITS, FLOATS, INTS, row

_INT_SIGNED = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_INT_UNSIGNED = {
    "eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge",
    "lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge",
}
_FLOAT = {
    "eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge",
    "equ": "ueq", "neu": "une", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge", "num": "ord", "nan": "uno",
}
_COMPARISONS = " ".join({*_INT_UNSIGNED, *_FLOAT})
_BOOLEAN = "and or xor"


def compare(e: Any, i: Instruction, a: Val, b: Val, kind: str) -> Val:
    name = next(m for m in i.modifiers if m in _FLOAT or m in _INT_UNSIGNED)
    if kind in ("f32", "f64", "f16"):
        return e.op(f"fcmp {_FLOAT[name]} {{T}} {{a}}, {{b}}", kind, a, b, out="pred")
    table = _INT_SIGNED if kind[0] == "s" else _INT_UNSIGNED
    return e.op(f"icmp {table[name]} {{T}} {{a}}, {{b}}", kind, a, b, out="pred")


def _combined(e: Any, i: Instruction, result: Val, third: int) -> tuple[Val, Val]:
    """(p, q): the comparison and its complement, each combined with the predicate operand if there is one."""
    inverse = e.op("xor {T} {a}, {b}", "pred", result, e.const(1, "pred"))
    boolean = next((m for m in i.modifiers if m in _BOOLEAN.split()), None)
    if boolean is None:
        return result, inverse
    c = e.src(i.operands[third], "pred")
    return tuple(e.op(f"{boolean} {{T}} {{a}}, {{b}}", "pred", x, c) for x in (result, inverse))  # type: ignore[return-value]


@row("setp", f"{ALL} f16 bf16", allow=f"{_COMPARISONS} {_BOOLEAN} ftz")
def _setp(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    if kind in ("f16", "bf16"):
        a, b = (widen(e, half_source(e, o, kind), "f32") for o in i.operands[1:3])
        kind = "f32"
    else:
        a, b = (e.src(o, kind) for o in i.operands[1:3])
    if "ftz" in i.modifiers:
        a, b = flush(e, a), flush(e, b)
    p, q = _combined(e, i, compare(e, i, a, b, kind), 3)
    target = i.operands[0]
    if isinstance(target, Pair):
        e.put(target.first, p)
        e.put(target.second, q)
    else:
        e.put(target, p)


@row("setp", "f16x2 bf16x2", allow=f"{_COMPARISONS} {_BOOLEAN} ftz")
def _setp_packed(e: Any, i: Instruction) -> None:
    kind = i.types[-1].removesuffix("x2")
    sides = [halves(e, e.src(o, "b32"), kind) for o in i.operands[1:3]]
    results = [
        _combined(e, i, compare(e, i, *(widen(e, s[n], "f32") for s in sides), "f32"), 3)[0] for n in (0, 1)
    ]
    target = i.operands[0]
    if not isinstance(target, Pair):
        raise Unsupported("packed setp with one destination")
    e.put(target.first, results[0])
    e.put(target.second, results[1])


@row("set", f"{ALL} f16", allow=f"{_COMPARISONS} {_BOOLEAN} ftz")
def _set(e: Any, i: Instruction) -> None:
    """All ones (integer result) or 1.0 (float result) where the comparison holds."""
    out, kind = i.types[-2:]
    a, b = (e.src(o, kind) for o in i.operands[1:3])
    if "ftz" in i.modifiers:
        a, b = flush(e, a), flush(e, b)
    p, _ = _combined(e, i, compare(e, i, a, b, kind), 3)
    true = {"f32": 0x3F800000, "f16": 0x3C00}.get(out, -1)
    e.put(i.operands[0], e.select(p, e.const(true, out), e.const(0, out)))


@row("selp", f"{ALL} f16 b16")
def _selp(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:3])
    e.put(i.operands[0], e.select(e.src(i.operands[3], "pred"), a, b))


@row("slct", f"{INTS} {FLOATS} {BITS}", allow="ftz")
def _slct(e: Any, i: Instruction) -> None:
    """a where c >= 0, else b; a NaN c chooses b."""
    kind, test = i.types[-2:]
    a, b = (e.src(o, kind) for o in i.operands[1:3])
    c = e.src(i.operands[3], test)
    if test == "f32":
        c = flush(e, c) if "ftz" in i.modifiers else c
        positive = e.op("fcmp oge {T} {a}, {b}", test, c, e.const(0, test), out="pred")
    else:
        positive = e.op("icmp sge {T} {a}, {b}", test, c, e.const(0, test), out="pred")
    e.put(i.operands[0], e.select(positive, a, b))


_CLASSES = {"finite": 0x1F8, "infinite": 0x204, "number": 0x3FC, "notanumber": 0x3, "normal": 0x108, "subnormal": 0x90}


@row("testp", FLOATS, allow=" ".join(_CLASSES))
def _testp(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a = e.vector(e.src(i.operands[1], kind))
    mask = next(_CLASSES[m] for m in i.modifiers if m in _CLASSES)
    name = "llvm.is.fpclass.v32" + kind
    e.declare(f"<32 x i1> @{name}({a.type}, i32)")
    e.put(i.operands[0], e.let(f"call <32 x i1> @{name}({a.type} {a.name}, i32 {mask})", "pred", False))


@row("copysign", FLOATS)
def _copysign(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (e.src(o, kind) for o in i.operands[1:])
    e.put(i.operands[0], e.intrinsic("copysign", kind, b, a))
