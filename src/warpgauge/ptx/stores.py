"""What a kernel may write to global memory, as far as its code alone shows it."""

from __future__ import annotations

from collections.abc import Mapping

from .cfg import definitions, is_function_call, registers_of
from .model import Address, Instruction, Kernel, Symbol

# These read memory that is not shared: whatever else has an address may write through it.
_READERS = frozenset({"ld", "ldu", "prefetch", "prefetchu", "applypriority", "discard", "isspacep"})
_ELSEWHERE = frozenset({"shared", "local", "param", "const"})
_POINTERS = frozenset({"b64", "u64", "s64"})
_ANY = ""


def stored_through(kernel: Kernel) -> frozenset[str] | None:
    """The parameters and module variables that an address the kernel stores to may be made from.

    A superset: the flow of control is not followed, and an index counts like a pointer. None where the code does not
    show it, as when a pointer comes from memory or from a call. Whole-kernel cost, a few passes over its instructions.
    """
    origins: dict[str, set[str]] = {}
    instructions = kernel.instructions
    if any(is_function_call(i) for i in instructions):
        return None
    changed = True
    while changed:
        changed = False
        for i in instructions:
            made = _made_from(i, origins)
            for name in definitions(i) if made else ():
                known = origins.setdefault(name, set())
                if not made <= known:
                    known |= made
                    changed = True
    found: set[str] = set()
    for i in instructions:
        found |= _written(i, origins)
    return None if _ANY in found else frozenset(found)


def _names(i: Instruction, origins: Mapping[str, set[str]]) -> set[str]:
    """What the operands of an instruction are made from; its destination gives what it was made from before."""
    found: set[str] = set()
    for operand in i.operands:
        if isinstance(operand, Symbol):
            found.add(operand.name)
        elif isinstance(operand, Address) and isinstance(operand.base, Symbol):
            found.add(operand.base.name)
        for register in registers_of(operand):
            found |= origins.get(register, set())
    return found


def _made_from(i: Instruction, origins: Mapping[str, set[str]]) -> set[str]:
    """What the values that an instruction defines may point into."""
    if i.opcode == "wmma" and "load" in i.modifiers:
        return set()
    if i.opcode in ("ld", "ldu", "atom"):
        if "param" in i.modifiers:
            return _names(i, origins)
        # A number that was loaded is an index at most, unless it has the width of a pointer.
        return {_ANY} if _POINTERS & set(i.types[-1:]) else set()
    return _names(i, origins)


def _written(i: Instruction, origins: Mapping[str, set[str]]) -> set[str]:
    if i.opcode in _READERS or (_ELSEWHERE & set(i.modifiers) and i.opcode != "cp"):
        return set()
    if i.opcode == "cp" and "bulk" not in i.modifiers:
        return set()  # into shared memory
    if i.opcode == "wmma" and "load" in i.modifiers:
        return set()
    found: set[str] = set()
    for operand in i.operands:
        if isinstance(operand, Address):
            base = operand.base
            made = {base.name} if isinstance(base, Symbol) else origins.get(base.name) if base else None
            found |= made or {_ANY}
    return found
