"""What a row is, and how one is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from warpgauge.ptx import SUB_BYTE, TYPE_BYTES, Instruction

Emit = Callable[[Any, Instruction], None]

INTS = "u16 s16 u32 s32 u64 s64"
SIGNED = "s16 s32 s64"
FLOATS = "f32 f64"
HALVES = "f16 bf16 f16x2 bf16x2"
BITS = "b16 b32 b64"
ALL = f"{INTS} {FLOATS} {BITS}"


@dataclass(frozen=True)
class Row:
    """One instruction; `id` names the row in tests and docs, `home` is the module that adds it.

    It fits an instruction with one type, in `types` (empty: untyped); where `to` is not empty with two, the first in
    `to`; where `middle` is not empty with three, the second in `middle`; where `third` is not empty with four, the
    third in `third`. Every modifier in `need` is there and the others are in `allow`. `pure` instructions depend on
    their operands alone.
    """

    id: str
    opcode: str
    types: frozenset[str]
    need: frozenset[str]
    allow: frozenset[str]
    emit: Emit
    pure: bool
    to: frozenset[str]
    home: str
    middle: frozenset[str] = frozenset()
    third: frozenset[str] = frozenset()

    def fits(self, i: Instruction) -> bool:
        types = i.types
        if len(types) != (4 if self.third else 3 if self.middle else 2 if self.to else 1 if self.types else 0):
            return False
        if (self.middle and types[1] not in self.middle) or (self.third and types[2] not in self.third):
            return False
        if (self.types and types[-1] not in self.types) or (self.to and types[0] not in self.to):
            return False
        rest = {m for m in i.modifiers if m not in TYPE_BYTES and m not in SUB_BYTE}
        return self.need <= rest and rest - self.need <= self.allow


ROWS: dict[str, list[Row]] = {}


def row(
    opcode: str, types: str = "", *, need: str = "", allow: str = "", pure: bool = True, to: str = "", middle: str = ""
) -> Callable[[Emit], Emit]:
    """Decorator: add the emitter as a row for `opcode`."""

    def add(emit: Emit) -> Emit:
        add_row(opcode, types, emit, need=need, allow=allow, pure=pure, to=to, middle=middle)
        return emit

    return add


def add_row(
    opcode: str,
    types: str,
    emit: Emit,
    *,
    need: str = "",
    allow: str = "",
    pure: bool = True,
    to: str = "",
    middle: str = "",
    third: str = "",
) -> None:
    first, required, allowed, results = (frozenset(x.split()) for x in (types, need, allow, to))
    name = ".".join((opcode, *need.split()))
    home = emit.__module__
    between, then = frozenset(middle.split()), frozenset(third.split())
    found = Row(name, opcode, first, required, allowed, emit, pure, results, home, between, then)
    ROWS.setdefault(opcode, []).append(found)


def template(opcode: str, types: str, text: str, home: str, *, need: str = "", allow: str = "") -> None:
    """A row of module `home` that is one line of LLVM: `{a} {b} {c}` the sources read as the instruction's type."""

    def emit(e: Any, i: Instruction) -> None:
        kind = i.types[-1]
        e.put(i.operands[0], e.op(text, kind, *(e.src(o, kind) for o in i.operands[1:])))

    emit.__module__ = home
    add_row(opcode, types, emit, need=need, allow=allow)


def find_row(i: Instruction) -> Row | None:
    """The first row that fits, or None: the instruction is unsupported."""
    return next((r for r in ROWS.get(i.opcode, ()) if r.fits(i)), None)


def is_pure(i: Instruction) -> bool:
    """No memory, no lanes, no side effects: may be computed anywhere its operands are known."""
    found = find_row(i)
    return found is not None and found.pure
