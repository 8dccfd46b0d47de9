"""Which shapes and accumulators `mma.sync` has for each type of its factors (dense products).

Source: the mma instruction of the PTX ISA. The tests assemble every row, and see every other shape refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from .model import Instruction


@dataclass(frozen=True)
class MmaShapes:
    """`shapes` maps a shape to the first architecture that has it; `accumulators` are the types of C and D."""

    shapes: dict[str, int]
    accumulators: tuple[str, ...]


_BYTES = MmaShapes({"m8n8k16": 75, "m16n8k16": 80, "m16n8k32": 80}, ("s32",))
_NIBBLES = MmaShapes({"m8n8k32": 75, "m16n8k32": 80, "m16n8k64": 80}, ("s32",))
_FP8 = MmaShapes({"m16n8k16": 89, "m16n8k32": 89}, ("f16", "f32"))

MMA_SHAPES: dict[str, MmaShapes] = {
    "f16": MmaShapes({"m8n8k4": 70, "m16n8k8": 75, "m16n8k16": 80}, ("f16", "f32")),
    "bf16": MmaShapes({"m16n8k8": 80, "m16n8k16": 80}, ("f32",)),
    "tf32": MmaShapes({"m16n8k4": 80, "m16n8k8": 80}, ("f32",)),
    "f64": MmaShapes({"m8n8k4": 80, "m16n8k4": 90, "m16n8k8": 90, "m16n8k16": 90}, ("f64",)),
    "s8": _BYTES,
    "u8": _BYTES,
    "s4": _NIBBLES,
    "u4": _NIBBLES,
    "b1": MmaShapes({"m8n8k128": 75, "m16n8k128": 80, "m16n8k256": 80}, ("s32",)),
    "e4m3": _FP8,
    "e5m2": _FP8,
}
_ACCUMULATORS = ("f16", "bf16", "f32", "f64", "s32")


def mma_advice(i: Instruction) -> str:
    """What a dense mma.sync could be instead, where its shape or accumulator does not exist; empty otherwise."""
    if i.opcode != "mma" or "sp" in i.modifiers or "kind" in i.modifiers:
        return ""
    shape = next((m for m in i.modifiers if m.startswith("m") and m[1:2].isdigit()), "")
    types = [m for m in i.modifiers if m in MMA_SHAPES or m in _ACCUMULATORS]
    if len(types) != 4 or types[1] not in MMA_SHAPES:
        return ""
    row = MMA_SHAPES[types[1]]
    if shape not in row.shapes:
        shapes = ", ".join(f"{name} (sm_{since} or newer)" for name, since in row.shapes.items())
        other = "; m16n16k16 is a shape of wmma" if shape == "m16n16k16" else ""
        return f"mma.sync of {types[1]} has the shapes {shapes}{other}"
    if {types[0], types[3]} - set(row.accumulators):
        return f"mma.sync of {types[1]} accumulates in {' or '.join(row.accumulators)} only"
    return ""
