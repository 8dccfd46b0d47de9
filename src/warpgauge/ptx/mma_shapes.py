"""Which shapes and accumulators `mma.sync` has for each type of its factors (dense products).

Source: the mma instruction of the PTX ISA. The tests assemble every row, and see every neighbour that is none refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model import Instruction, Vector


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
#: Types of A and B that may be mixed with each other; every other type goes with itself alone.
MIXED = (frozenset({"s8", "u8"}), frozenset({"s4", "u4"}), frozenset({"e4m3", "e5m2"}))
#: The one shape of f16 whose A and B may each be in row or in column order, and whose C may be f16 where D is f32.
FOUR_PRODUCTS = "m8n8k4"
ELEMENT_BITS = {
    "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32,
    "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
_ACCUMULATORS = ("f16", "bf16", "f32", "f64", "s32")
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)$")


def mma_advice(i: Instruction) -> str:
    """What a dense mma.sync that does not exist could be instead: the nearest legal ones; empty where it exists."""
    if i.opcode != "mma" or "sp" in i.modifiers or "kind" in i.modifiers:
        return ""
    shape = next((m for m in i.modifiers if _SHAPE.match(m)), "")
    types = [m for m in i.modifiers if m in MMA_SHAPES or m in _ACCUMULATORS]
    if not {"sync", "aligned"} <= set(i.modifiers):
        return "mma is written mma.sync.aligned"
    if len(types) != 4:
        return "mma.sync names four types: those of D, A, B and C"
    d, a, b, c = types
    checks = (
        lambda: _factors(a, b),
        lambda: _shape(a, shape),
        lambda: _sums(shape, d, a, c),
        lambda: _layouts(a, shape, i.modifiers),
        lambda: _operation(a, i.modifiers),
        lambda: _registers(shape, d, a, c, i),
    )
    return next(filter(None, (check() for check in checks)), "")


def _factors(a: str, b: str) -> str:
    unknown = next((kind for kind in (a, b) if kind not in MMA_SHAPES), "")
    if unknown == "f32":
        return "mma.sync multiplies no f32: convert A and B to tf32 (cvt.rna.tf32.f32), f16 or bf16, and sum in f32"
    if unknown:
        return f"mma.sync multiplies no {unknown}; its factors are {', '.join(MMA_SHAPES)}"
    partners = next((sorted(group) for group in MIXED if a in group), [a])
    return "" if b in partners else f"mma.sync multiplies {a} with {' or '.join(partners)} only"


def _shape(a: str, shape: str) -> str:
    row = MMA_SHAPES[a]
    if shape in row.shapes:
        return ""
    shapes = ", ".join(f"{name} (sm_{since} or newer)" for name, since in row.shapes.items())
    other = "; m16n16k16 is a shape of wmma" if shape == "m16n16k16" else ""
    return f"mma.sync of {a} has the shapes {shapes}{other}"


def _sums(shape: str, d: str, a: str, c: str) -> str:
    sums = MMA_SHAPES[a].accumulators
    if {c, d} - set(sums):
        return f"mma.sync of {a} accumulates in {' or '.join(sums)} only"
    if c != d and not (a == "f16" and shape == FOUR_PRODUCTS and d == "f32"):
        return f"mma.sync.{shape} of {a} has C and D of one type: {' or '.join(f'{kind} and {kind}' for kind in sums)}"
    return ""


def _layouts(a: str, shape: str, modifiers: tuple[str, ...]) -> str:
    found = tuple(m for m in modifiers if m in ("row", "col"))
    if len(found) == 2 and (found == ("row", "col") or (a == "f16" and shape == FOUR_PRODUCTS)):
        return ""
    return f"mma.sync.{shape} of {a} has the layout .row.col only: load the other order transposed (ldmatrix .trans)"


def _operation(a: str, modifiers: tuple[str, ...]) -> str:
    if a == "b1" and not ("popc" in modifiers and {"xor", "and"} & set(modifiers)):
        return "mma.sync of b1 ends in .xor.popc (sm_75 or newer) or .and.popc (sm_80 or newer)"
    if "satfinite" in modifiers and a not in MIXED[0] | MIXED[1]:
        return f"mma.sync of {a} has no .satfinite: only sums of s8, u8, s4 and u4 are clamped"
    return ""


def register_counts(shape: str, d: str, a: str, c: str) -> tuple[int, int, int, int]:
    """How many registers of a lane hold D, A, B and C: of 64 bits for f64, of 32 for all others."""
    found = _SHAPE.match(shape)
    assert found, shape
    m, n, k = map(int, found.groups())
    copies = 4 if a == "f16" and shape == FOUR_PRODUCTS else 1
    sizes = ((m * n, d), (m * k, a), (k * n, a), (m * n, c))
    first, second, third, fourth = (
        copies * size * ELEMENT_BITS[kind] // (32 * max(32, ELEMENT_BITS[kind])) for size, kind in sizes
    )
    return first, second, third, fourth


def _registers(shape: str, d: str, a: str, c: str, i: Instruction) -> str:
    wanted = register_counts(shape, d, a, c)
    given = tuple(len(o.elements) if isinstance(o, Vector) else 1 for o in i.operands[:4])
    if given == wanted:
        return ""
    words = ", ".join(f"{count} for {name}" for name, count in zip("DABC", wanted, strict=True))
    return f"mma.sync.{shape} of {a} takes so many registers: {words}"
