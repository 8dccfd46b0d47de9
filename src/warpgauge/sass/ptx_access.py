"""PTX memory instructions as candidates for fusing: what they do, how wide they are, which of them are neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from warpgauge.ptx import (
    TYPE_BYTES,
    Address,
    Immediate,
    Instruction,
    Kernel,
    Register,
    Symbol,
    Vector,
    definitions,
    registers_of,
    usages,
)

_OPS: dict[str, str] = {
    **dict.fromkeys(("ld", "ldu"), "load"),
    "st": "store",
    **dict.fromkeys(("atom", "red"), "atomic"),
    **dict.fromkeys(("ldmatrix", "stmatrix"), "matrix"),
}
_SPACES = ("global", "shared", "local")
_UNCOUNTED_SPACES = frozenset({"param", "const"})
_ELEMENTS = {"v2": 2, "v4": 4, "v8": 8}
_MATRIX_ROW_BYTES = 16


@dataclass(frozen=True)
class PtxAccess:
    """One PTX memory instruction.

    `op` is load, store, atomic, copy (cp.async) or matrix; `space` global, shared, local or generic; `width` in bytes
    per lane. Accesses of equal `place` compute their addresses from one value in one block: `offset` (bytes) tells them
    apart. `used` is the (first, end) byte range of the vector elements that anything reads, `dead` says that nothing
    reads the result at all.
    """

    op: str
    space: str
    width: int
    place: tuple[object, ...]
    offset: int
    volatile: bool
    used: tuple[int, int]
    dead: bool
    line: int

    @property
    def spot(self) -> object:
        """Equal for accesses, loads or stores, that begin at the same byte."""
        space, _op, *value = self.place
        return (space, *value, self.offset)


def ptx_accesses(kernel: Kernel) -> Iterator[PtxAccess]:
    """Memory requests of a kernel or function in text order; parameter and constant reads are none."""
    values = _Values(kernel.instructions)
    needed = _needed(kernel.instructions)
    for block in kernel.blocks:
        values.enter(block.index)
        for i in block.instructions:
            if (access := _access(i, values, needed)) is not None:
                yield access
            values.step(i)


def _access(i: Instruction, values: _Values, needed: set[str]) -> PtxAccess | None:
    op = _OPS.get(i.opcode)
    if i.opcode == "cp" and i.modifiers[:1] == ("async",) and "bulk" not in i.modifiers and len(i.operands) > 2:
        op = "copy"
    address = next((o for o in i.operands if isinstance(o, Address)), None)
    if op is None or address is None or _UNCOUNTED_SPACES & set(i.modifiers):
        return None
    space = "global" if op == "copy" else next((s for s in _SPACES if s in i.modifiers), "generic")
    unit = TYPE_BYTES[i.types[-1]] if i.types else 0
    width = unit * next((n for m, n in _ELEMENTS.items() if m in i.modifiers), 1)
    if op == "copy":
        width = next((o.value for o in i.operands if isinstance(o, Immediate)), 0)
    elif op == "matrix":
        width = _MATRIX_ROW_BYTES
    used, dead = (0, width), False
    if op == "load":
        first = i.operands[0]
        elements = first.elements if isinstance(first, Vector) else (first,)
        read = [n for n, element in enumerate(elements) if needed & set(registers_of(element))]
        dead = not read
        used = (read[0] * unit, (read[-1] + 1) * unit) if read else used
    place, offset = values.place(address)
    return PtxAccess(op, space, width, (space, op, *place), offset, "volatile" in i.modifiers, used, dead, i.ptx_line)


def _needed(instructions: Iterable[Instruction]) -> set[str]:
    """Registers whose value can reach memory, control flow or another effect; flow-insensitive, so it errs to more."""
    sources: dict[str, set[str]] = {}
    pending: list[str] = []
    for i in instructions:
        made = definitions(i)
        if not made or i.opcode in ("atom", "shfl", "vote", "match", "redux", "activemask", "bar", "barrier"):
            pending += usages(i)
        for name in made:
            sources.setdefault(name, set()).update(usages(i))
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += sources.get(name, ())
    return needed


class _Values:
    """Which addresses are one value plus a known number of bytes.

    A register that is defined once, as another plus a constant, is followed to that other; PTX from NVVM is nearly in
    single-assignment form, so this crosses blocks. A register with several definitions only equals itself until its
    next definition in the same block.
    """

    def __init__(self, instructions: Iterable[Instruction]) -> None:
        defined: dict[str, list[Instruction]] = {}
        for i in instructions:
            for name in definitions(i):
                defined.setdefault(name, []).append(i)
        self._single = {name: found[0] for name, found in defined.items() if len(found) == 1}
        self._block = 0
        self._version: Counter[str] = Counter()

    def enter(self, block: int) -> None:
        self._block = block
        self._version.clear()

    def step(self, i: Instruction) -> None:
        self._version.update(definitions(i))

    def place(self, address: Address) -> tuple[tuple[object, ...], int]:
        """(block and value that the address is relative to, byte offset from it)."""
        if address.base is None:
            return (self._block, "absolute"), address.offset
        base, offset = address.base, address.offset
        seen = set()
        while isinstance(base, Register) and base.name not in seen and (step := self._plus_constant(base.name)):
            seen.add(base.name)
            base, offset = step[0], offset + step[1]
        if isinstance(base, Symbol):
            return (self._block, base.name), offset + base.offset
        version = 0 if base.name in self._single else self._version[base.name]
        return (self._block, base.name, version), offset

    def _plus_constant(self, name: str) -> tuple[Register | Symbol, int] | None:
        i = self._single.get(name)
        if i is None or i.guard is not None:
            return None
        match i.opcode, i.operands:
            case "mov", (_, Symbol() as symbol):
                return symbol, 0
            case "mov", (_, Register() as source) if source.name in self._single:
                return source, 0
            case "add", (_, Register() as source, Immediate(kind="int", value=value)) if source.name in self._single:
                return source, value
        return None
