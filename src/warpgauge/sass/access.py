"""SASS memory accesses: what they do, how wide they are and where they point."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .parse import SassInstruction

# Opcode -> what it does. LDC/ULDC read constant banks (parameters) and are no memory requests.
_OPS: dict[str, str] = {
    **dict.fromkeys(("LDG", "LD", "LDS", "LDL"), "load"),
    **dict.fromkeys(("STG", "ST", "STS", "STL"), "store"),
    **dict.fromkeys(("ATOMG", "ATOM", "ATOMS", "RED", "REDG", "REDS"), "atomic"),
    "LDGSTS": "copy",
    **dict.fromkeys(("LDSM", "STSM"), "matrix"),
}
_ROW_BYTES = 16
_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}

_ADDRESS = re.compile(r"\[([^\[\]]*?)(?:\+?(-?0x[0-9a-f]+))?\]$")
_REGISTER = re.compile(r"\b(U?R)(\d+)\b")
# Registers that one instruction writes from its destination on; a modifier that is not here means one.
_WRITTEN = {"64": 2, "WIDE": 2, "128": 4, "256": 8}


@dataclass(frozen=True)
class SassAccess:
    """`op` is load, store, atomic, copy or matrix; `width` in bytes per lane, of matrices per row.

    Accesses of equal `base` start from one register value, `offset` bytes from it. `matrices`: how many 8x8 matrices
    an LDSM or STSM moves, 0 for other accesses.
    """

    op: str
    width: int
    base: tuple[str, int]
    offset: int
    instruction: SassInstruction
    matrices: int = 0


def sass_accesses(instructions: Iterable[SassInstruction]) -> Iterator[SassAccess]:
    """Accesses in address order. A register counts as another base once an instruction has written it."""
    written: Counter[str] = Counter()
    for instruction in instructions:
        op = _OPS.get(instruction.opcode)
        if op is not None:
            width = next((_BYTES[m] for m in instruction.modifiers if m in _BYTES), 4)
            matrices = 0
            if op == "matrix":
                width, matrices = _ROW_BYTES, next((int(m) for m in instruction.modifiers if m in ("2", "4")), 1)
            text = next((o for o in instruction.operands if o.endswith("]")), "[]")
            address = _ADDRESS.search(text)
            name, offset = (address[1], int(address[2] or "0", 16)) if address else (text, 0)
            version = sum(written[register] for register in _names(name))
            yield SassAccess(op, width, (name, version), offset, instruction, matrices)
        written.update(_destination(instruction))


def _names(text: str) -> list[str]:
    return [kind + number for kind, number in _REGISTER.findall(text)]


def _destination(instruction: SassInstruction) -> list[str]:
    """Registers that the instruction writes, read off its first operand (stores have an address there)."""
    first = instruction.operands[0] if instruction.operands else ""
    match = _REGISTER.match(first)
    if not match:
        return []
    count = max((_WRITTEN.get(modifier, 1) for modifier in instruction.modifiers), default=1)
    return [f"{match[1]}{int(match[2]) + n}" for n in range(count)]
