"""Statements that compute: instructions of the oracle's table, comparison, selection, carries, bits, packing."""

from __future__ import annotations

import re
from collections.abc import Callable

from .forms import FORMS, INTO
from .writer import BYTES, SPECIALS, Picks, Writer

COMPARES = ("lt", "eq", "ne", "gt", "le", "ge")
COMPARED = ("u32", "s32", "f32", "u64", "s64", "f64", "u16", "s16", "b32", "f16")
POOLS = {"u32": "b32", "s32": "b32", "u64": "b64", "s64": "b64", "u16": "b16", "s16": "b16"}
# The assembler takes no immediate operand for these.
REGISTERS_ONLY = re.compile(r"vabsdiff|[us]16x2")
SELECTED = ("b32", "f32", "b64", "f64", "b16")


def op(w: Writer, pick: Picks) -> None:
    """A table instruction: into a variable, under a guard or not, or into a register of its own."""
    form, mode, rest = FORMS[pick(len(FORMS))], pick(), pick()
    lone = mode % 4 == 3
    names = {}
    for name, (kind, domain) in zip("abc", form.sources, strict=False):
        if REGISTERS_ONLY.search(form.text):
            value = w.variable(kind, pick())
        else:
            value = w.same_in_block(kind, pick()) if lone and rest % 2 else w.operand(kind, pick())
        if domain in INTO:
            inside = w.new(kind)
            w.emit(INTO[domain].format(n=8 * BYTES[kind], t=inside, x=value))
            value = inside
        names[name] = value
    guard = "" if lone else w.guard(mode)
    target = w.let(form.result) if lone else w.variable(form.result, rest)
    w.emit(guard + form.text.format(d=target, **names))


def compare(w: Writer, pick: Picks) -> None:
    kind = COMPARED[pick(len(COMPARED))]
    test = COMPARES[pick(2) + 1 if kind[0] == "b" else pick(len(COMPARES))]
    if "f" in kind and pick(2):
        test += "u"
    pool = POOLS.get(kind, kind)
    a, b = w.operand(pool, pick()), w.operand(pool, pick())
    target, mode = w.variable("pred", pick()), pick()
    if mode % 4 == 1:
        combine = ("and", "or", "xor")[mode // 4 % 3]
        w.emit(f"setp.{test}.{combine}.{kind} {target}, {a}, {b}, {w.variable('pred', mode // 12)};")
    else:
        w.emit(f"{w.guard(mode)}setp.{test}.{kind} {target}, {a}, {b};")


def predicates(w: Writer, pick: Picks) -> None:
    what = ("and", "or", "xor", "not")[pick(4)]
    a, b, d = (w.variable("pred", pick()) for _ in range(3))
    w.emit(f"not.pred {d}, {a};" if what == "not" else f"{what}.pred {d}, {a}, {b};")


def select(w: Writer, pick: Picks) -> None:
    kind = SELECTED[pick(len(SELECTED))]
    a, b, p, d = w.operand(kind, pick()), w.operand(kind, pick()), w.variable("pred", pick()), pick()
    w.emit(f"selp.{kind} {w.variable(kind, d)}, {a}, {b}, {p};")


def carry(w: Writer, pick: Picks) -> None:
    """A sum or difference of two words."""
    kind, first = ("u32", "u64")[pick(2)], ("add", "sub")[pick(2)]
    pool = POOLS[kind]
    a, b, c, d = (w.operand(pool, pick()) for _ in range(4))
    low, high = w.variable(pool, 0), w.variable(pool, 1)
    t = w.new(pool)
    w.emit(f"{first}.cc.{kind} {t}, {a}, {b};", f"{first}c.{kind} {high}, {c}, {d};", f"mov.{kind} {low}, {t};")


def float_bits(w: Writer, pick: Picks) -> None:
    kind, pool = (("f32", "b32"), ("f64", "b64"))[pick(2)]
    w.emit(f"mov.{pool} {w.variable(pool, pick())}, {w.plain(kind, w.operand(kind, pick()))};")


def special(w: Writer, pick: Picks) -> None:
    names = (*SPECIALS, "%lanemask_lt", "%lanemask_ge", "%ntid.y", "%nctaid.z", "%lanemask_eq")
    w.emit(f"mov.u32 {w.variable('b32', pick())}, {names[pick(len(names))]};")


def pack(w: Writer, pick: Picks) -> None:
    """Two halves make a whole, or a whole falls into halves."""
    small, large = (("b32", "b64"), ("b16", "b32"))[pick(2)]
    if pick(2):
        whole = w.operand(large, pick() & ~4)
        w.emit(f"mov.{large} {{{w.variable(small, 0)}, {w.variable(small, 1)}}}, {whole};")
    else:
        a, b = w.operand(small, pick() & ~4), w.operand(small, pick() & ~4)
        w.emit(f"mov.{large} {w.variable(large, pick())}, {{{a}, {b}}};")


VALUE_RULES: dict[str, Callable[[Writer, Picks], None]] = {
    "op": op, "compare": compare, "predicates": predicates, "select": select, "carry": carry,
    "float_bits": float_bits, "special": special, "pack": pack,
}  # fmt: skip
