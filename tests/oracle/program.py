"""From an instruction to the function that executes it for the active lanes of a warp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Instruction, Kernel, Pair, Register, Vector, is_block_barrier

from . import access, asynchronous, bits, compare, convert, floating, formats, integer, tensor, warp
from .access import Step
from .counting import Tally
from .memory import Layout
from .rows import Unsupported, ValueOp
from .state import Operands, Warp, Writer

CARRY = "%CC"
VALUE_ROWS = {**integer.ROWS, **bits.ROWS, **compare.ROWS, **convert.ROWS}
# Instructions whose only effect is on order or time, which one warp at a time gives anyway.
WITHOUT_EFFECT = frozenset({
    "membar", "fence", "prefetch", "prefetchu", "nanosleep", "griddepcontrol", "discard", "applypriority", "pmevent",
})  # fmt: skip
BARRIERS = frozenset({"bar", "barrier"})
CONTROL = frozenset({"bra", "brx", "ret", "exit", "trap"})


@dataclass(frozen=True)
class Code:
    """A decoded instruction; `step` is None where the scheduler itself acts (branches, barriers)."""

    instruction: Instruction
    step: Step | None


class Decoder:
    """Decodes the instructions of one kernel. An instruction without a row decodes to a step that raises when
    lanes reach it."""

    def __init__(self, kernel: Kernel, fixed: Layout, tally: Tally) -> None:
        self.kernel, self.fixed, self.tally = kernel, fixed, tally
        self.operands = Operands(kernel, self.address_of)

    def address_of(self, name: str) -> int:
        """A variable's address in its own space."""
        for space in ("shared", "local", "param", "const", "global"):
            if (space, name) in self.fixed.addresses:
                return self.fixed.addresses[space, name]
        raise Unsupported(f"the address of {name}")

    def decode(self, i: Instruction) -> Code:
        if i.opcode in CONTROL or is_block_barrier(i) or (i.opcode in BARRIERS and "arrive" in i.modifiers):
            return Code(i, None)
        try:
            return Code(i, self._step(i))
        except Unsupported as reason:
            text = f"{reason}: PTX line {i.ptx_line}"

            def unsupported(w: Warp, mask: np.ndarray) -> None:
                raise Unsupported(text)

            return Code(i, unsupported)

    def _step(self, i: Instruction) -> Step:
        if i.opcode in access.ROWS:
            return access.ROWS[i.opcode](i, self.operands, self.tally)
        if i.opcode in asynchronous.ROWS:
            return asynchronous.ROWS[i.opcode](i, self.operands, self.tally)
        if i.opcode in WITHOUT_EFFECT or (i.opcode == "bar" and "warp" in i.modifiers):
            return lambda w, mask: None
        if i.opcode == "mov":
            return self._move(i)
        if i.opcode in tensor.ROWS:
            return tensor.ROWS[i.opcode](i, self.operands)
        if i.opcode in warp.ROWS:
            return self._across(i)
        return self._value(i, value_op(i))

    def _move(self, i: Instruction) -> Step:
        kind = i.types[-1]
        target, source = i.operands
        if isinstance(source, Vector):
            part = f"b{8 * TYPE_BYTES[kind] // len(source.elements)}"
            parts = [self.operands.reader(e, part) for e in source.elements]
            shifts = [np.uint64(8 * TYPE_BYTES[part] * n) for n in range(len(parts))]
            write = self.operands.writer(target, kind)

            def pack(w: Warp, mask: np.ndarray) -> None:
                total = np.zeros(32, np.uint64)
                for read, shift in zip(parts, shifts, strict=True):
                    total |= read(w) << shift
                write(w, total, mask)

            return pack
        read = self.operands.reader(source, kind)
        elements = target.elements if isinstance(target, Vector) else (target,)
        part = kind if len(elements) == 1 else f"b{8 * TYPE_BYTES[kind] // len(elements)}"
        writers = [self.operands.writer(e, part) for e in elements]

        def unpack(w: Warp, mask: np.ndarray) -> None:
            value = read(w)
            for n, write in enumerate(writers):
                write(w, value if kind == "pred" else value >> np.uint64(8 * TYPE_BYTES[part] * n), mask)

        return unpack

    def _targets(self, i: Instruction, results: tuple[str, ...]) -> list[tuple[int, Writer]]:
        first = i.operands[0]
        parts = (first.first, first.second) if isinstance(first, Pair) else (first,)
        out = [
            (n, self.operands.writer(part, kind)) for n, (part, kind) in enumerate(zip(parts, results, strict=False))
        ]
        if "cc" in i.modifiers:
            out.append((len(results) - 1, self.operands.writer(Register(CARRY), "pred")))
        return out

    def _value(self, i: Instruction, op: ValueOp) -> Step:
        given = [*i.operands[1:], *((Register(CARRY),) if i.opcode in ("addc", "subc", "madc") else ())]
        readers = [self.operands.reader(o, kind) for o, kind in zip(given, op.sources, strict=True)]
        writers = self._targets(i, op.results)

        def step(w: Warp, mask: np.ndarray) -> None:
            out = op.function(*(read(w) for read in readers))
            parts = out if isinstance(out, tuple) else (out,)
            for n, write in writers:
                write(w, parts[n], mask)

        return step

    def _across(self, i: Instruction) -> Step:
        sources, results, function = warp.ROWS[i.opcode]
        own = i.types[-1] if i.types else "b32"
        given = i.operands[1:]
        readers = [self.operands.reader(o, kind or own) for o, kind in zip(given, sources, strict=True)]
        writers = self._targets(i, tuple(kind or own for kind in results))

        def step(w: Warp, mask: np.ndarray) -> None:
            parts = function(i, mask, *(read(w) for read in readers))
            for n, write in writers:
                write(w, parts[n], mask)

        return step


def value_op(i: Instruction) -> ValueOp:
    """The lane-by-lane function of an arithmetic, logic, comparison or conversion instruction."""
    kind = i.types[-1] if i.types else ""
    if i.opcode in ("add", "sub", "mad", "addc", "subc", "madc") and (i.opcode[-1] == "c" or "cc" in i.modifiers):
        return integer.with_carry(i)
    if i.opcode in floating.OPCODES and (kind == "f32x2" or formats.is_float(formats.HALVES.get(kind, kind))):
        return floating.float_row(i)
    if i.opcode in VALUE_ROWS:
        return VALUE_ROWS[i.opcode](i)
    raise Unsupported(i.text)
