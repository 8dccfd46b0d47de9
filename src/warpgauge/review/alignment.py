"""What is known of PTX registers without executing: powers of two that divide them, and buffers that they point into.

Both are lower bounds over all paths. A pointer that the plan passes a buffer for counts as aligned like every
allocation; nothing is assumed of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warpgauge.ptx import (
    Address,
    Immediate,
    Instruction,
    Kernel,
    Operand,
    Register,
    Special,
    Symbol,
    Vector,
    definitions,
)

#: Buffers begin at a multiple of 256 bytes, as those of cudaMalloc do.
BUFFER = 8
_THREAD = "%tid"
# Zero is a multiple of everything.
_ANY = 64


def alignments(kernel: Kernel, pointers: frozenset[str]) -> dict[str, int]:
    """Register -> exponent of the largest power of two known to divide it. `pointers` are parameters with a buffer."""
    known: dict[str, int] = {}
    instructions = [i for i in kernel.instructions if definitions(i)]
    variables = {v.name: v.align.bit_length() - 1 for v in (*kernel.shared, *kernel.local)}
    changed = True
    while changed:
        changed = False
        for i in instructions:
            value = _aligned(i, known, pointers, variables)
            for name in definitions(i):
                if value < known.get(name, _ANY + 1):
                    known[name] = value
                    changed = True
    return known


def _aligned(i: Instruction, known: Mapping[str, int], pointers: frozenset[str], variables: Mapping[str, int]) -> int:
    def of(operand: Operand) -> int:
        match operand:
            case Register(name=name):
                return known.get(name, _ANY)
            case Immediate(kind="int", value=0):
                return _ANY
            case Immediate(kind="int", value=value):
                return (value & -value).bit_length() - 1
            case Symbol(name=name, offset=offset):
                return min(variables.get(name, 0), _ANY if not offset else (offset & -offset).bit_length() - 1)
        return 0

    values = i.operands[1:]
    match i.opcode, values:
        case "ld", (Address(base=Symbol(name=name), offset=0),) if "param" in i.modifiers:
            return BUFFER if name in pointers else 0
        case (("mov" | "cvta" | "cvt"), (source,)) if not any(t.startswith(("f", "bf")) for t in i.types):
            return of(source)
        case (("add" | "sub" | "or" | "xor" | "min" | "max"), (a, b)):
            return min(of(a), of(b))
        case "and", (a, b):
            return max(of(a), of(b))
        case "mul", (a, b) if "hi" not in i.modifiers:
            return min(_ANY, of(a) + of(b))
        case "mad", (a, b, c) if "hi" not in i.modifiers:
            return min(_ANY, of(a) + of(b), of(c))
        case "shl", (a, Immediate(value=count)):
            return min(_ANY, of(a) + count)
        case "selp", (a, b, _):
            return min(of(a), of(b))
    return 0


@dataclass(frozen=True)
class Origins:
    """What may have gone into the values of registers: pointer parameters by name, and the number of the thread."""

    buffers: Mapping[str, frozenset[str]]
    threads: frozenset[str]


def origins(kernel: Kernel, pointers: frozenset[str]) -> Origins:
    """Through arithmetic and memory alike; what only decides a branch does not count."""
    known: dict[str, frozenset[str]] = {}
    changed = True
    while changed:
        changed = False
        for i in kernel.instructions:
            found: frozenset[str] = frozenset()
            for operand in i.operands:
                found |= _origin(operand, known, pointers)
            for name in definitions(i):
                if not found <= known.get(name, frozenset()):
                    known[name] = known.get(name, frozenset()) | found
                    changed = True
    return Origins(
        {name: found - {_THREAD} for name, found in known.items()},
        frozenset(name for name, found in known.items() if _THREAD in found),
    )


def _origin(operand: Operand, known: Mapping[str, frozenset[str]], pointers: frozenset[str]) -> frozenset[str]:
    match operand:
        case Register(name=name) | Address(base=Register(name=name)):
            return known.get(name, frozenset())
        case Address(base=Symbol(name=name)):
            return frozenset({name}) & pointers
        case Special(name=name) if name.startswith(("tid", "laneid")):
            return frozenset({_THREAD})
        case Vector(elements=elements):
            return frozenset().union(*(_origin(element, known, pointers) for element in elements))
    return frozenset()
