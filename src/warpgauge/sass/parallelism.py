"""How many loads a warp has under way before it waits, and how many of its instructions are independent.

Execution is followed in the order of the code, every loop body twice so that what one turn leaves under way meets the
next. A warp waits where an instruction needs a register that a load has not filled yet; everything under way then
arrives within one latency. Both figures are predictions: the code does not say which branches are taken, how often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from warpgauge.evidence import LoadBatch, Parallelism

from .loops import Loop, find_loops, innermost
from .parse import SassInstruction, labels, parse_sass

_Space = Literal["global", "shared"]
_LOADS: dict[str, _Space] = {"LDG": "global", "LD": "global", "LDS": "shared", "LDSM": "shared"}
_COPY = "LDGSTS"  # global to shared, waited for by DEPBAR and not by a register
_BULK = ("UBLKCP", "UTMALDG", "UTMASTG", "UBLKPF")
_NO_RESULT = frozenset(
    {"ST", "STG", "STS", "STL", "STSM", "RED", "REDG", "REDS", "BRA", "EXIT", "BAR", "LDGSTS", "DEPBAR"}
)
_REGISTER = re.compile(r"(?<![\w.])!?-?\|?(U?[RP])(\d+)(\.64)?")
_COUNTS = {"64": 2, "128": 4, "256": 8, "WIDE": 2}
_DOUBLE = ("DADD", "DMUL", "DFMA", "DSETP")


def parallelism(sass_text: str, symbol: str) -> Parallelism | None:
    """The figures of one function; None where there is no machine code of it."""
    code = tuple(parse_sass(sass_text, symbol))
    if not code:
        return None
    loops = find_loops(code, labels(sass_text, symbol))
    return Parallelism(
        batches=tuple(_batches(code, {loop.branch: loop.head for loop in loops})),
        ilp=_ilp(code, loops),
        bulk=any(i.opcode in _BULK for i in code),
        tensor=any("MMA" in i.opcode for i in code),
    )


def _registers(text: str, count: int = 1) -> Iterator[str]:
    for kind, number, pair in _REGISTER.findall(text):
        for n in range(2 if pair and count == 1 else count):
            yield f"{kind}{int(number) + n}"


def written(i: SassInstruction) -> set[str]:
    """Registers and predicates that an instruction fills."""
    if i.opcode in _NO_RESULT or not i.operands:
        return set()
    if i.opcode == "LDSM":
        count = next((int(m) for m in i.modifiers if m in ("2", "4")), 1)
    else:
        count = max((_COUNTS.get(m, 1) for m in i.modifiers), default=1)
    if "MMA" in i.opcode:
        count = 4
    elif i.opcode in _DOUBLE:
        count = 2
    found = set(_registers(i.operands[0], count))
    # Comparisons and carries name a predicate second.
    return found | {r for o in i.operands[1:2] if re.match(r"U?P\d", o) for r in _registers(o)}


def read(i: SassInstruction) -> set[str]:
    """Registers and predicates that an instruction needs."""
    operands = i.operands if i.opcode in _NO_RESULT else i.operands[1:]
    wide = 1
    if i.opcode.startswith("ST"):
        wide = max((_COUNTS.get(m, 1) for m in i.modifiers), default=1)
    elif "MMA" in i.opcode:
        wide = 4
    elif i.opcode in _DOUBLE:
        wide = 2
    found = {r for o in operands for r in _registers(o, 1 if o.endswith("]") else wide)}
    return found | set(_registers(i.predicate.lstrip("@")))


class _UnderWay:
    """Loads of one space that nothing has waited for yet."""

    def __init__(self, space: _Space) -> None:
        self.space = space
        self.filling: set[str] = set()
        self.lines: list[int] = []

    def issue(self, i: SassInstruction, filled: set[str]) -> None:
        self.filling |= filled
        self.lines.append(i.ptx_line)

    def close(self) -> Iterator[LoadBatch]:
        if self.lines:
            yield LoadBatch(self.space, tuple(self.lines))
        self.filling, self.lines = set(), []


def _path(code: Sequence[SassInstruction], loops: dict[int, int]) -> Iterator[SassInstruction]:
    """The code in order, every loop body twice."""
    at, again = 0, set(loops)
    while at < len(code):
        yield code[at]
        if at in again:
            again.discard(at)
            at = loops[at]
        else:
            at += 1


def _batches(code: Sequence[SassInstruction], loops: dict[int, int]) -> Iterator[LoadBatch]:
    spaces: dict[_Space, _UnderWay] = {"global": _UnderWay("global"), "shared": _UnderWay("shared")}
    for i in _path(code, loops):
        needs, fills = read(i), written(i)
        for loads in spaces.values():
            # Overwriting a register that a load is to fill waits for it as well.
            if (needs | fills) & loads.filling:
                yield from loads.close()
        if i.opcode == "DEPBAR":
            yield from spaces["global"].close()
        if i.opcode == _COPY:
            spaces["global"].issue(i, set())
        elif (space := _LOADS.get(i.opcode)) is not None:
            spaces[space].issue(i, fills)
    for loads in spaces.values():
        yield from loads.close()


def _ilp(code: Sequence[SassInstruction], loops: Sequence[Loop]) -> float:
    """Instructions / longest chain of dependent ones, over three turns of the largest innermost loop (or the code)."""
    largest = max(innermost(loops), key=lambda loop: len(loop.body), default=None)
    body = code if largest is None else [code[n] for n in largest.body] * 3
    depth: dict[str, int] = {}
    longest = 1
    for i in body:
        here = 1 + max((depth.get(r, 0) for r in read(i)), default=0)
        for register in written(i):
            depth[register] = here
        longest = max(longest, here)
    return len(body) / longest
