"""wmma.mma: the product of two fragments, computed as the machine computes it, by products of the shapes of mma."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction, Operand
from warpgauge.ptx.tiles import FACTORS, Tile

from ..emit import Unsupported, Val
from ..products import Product
from .memory import elements
from .product import Operands, multiply
from .table import add_row

_SHAPES = "m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128"
# The shape of one product for each type of the factors.
_PARTS = {
    **dict.fromkeys(("f16", "bf16", "s8", "u8"), "m16n8k16"),
    "tf32": "m16n8k8", "f64": "m8n8k4", "s4": "m8n8k32", "u4": "m8n8k32", "b1": "m8n8k128",
}  # fmt: skip


def _registers(operand: Operand, tile: Tile) -> Operands:
    found: Operands = elements(operand)
    if len(found) != tile.registers:
        raise Unsupported(f"{len(found)} registers where a fragment of {tile.type} has {tile.registers}")
    return found


def _multiply(e: Any, i: Instruction) -> None:
    """Sums are those of mma; f16 ones are rounded once, at their end."""
    shape = next((m for m in i.modifiers if m in _SHAPES.split()), "")
    layouts = [m for m in i.modifiers if m in ("row", "col")]
    d, factor, c = (i.types[0], "f16", i.types[1]) if len(i.types) == 2 else (i.types[0], i.types[1], i.types[3])
    if shape not in FACTORS[factor][0] or len(layouts) != 2:
        raise Unsupported("no product of this shape and type")
    combine = next((m for m in i.modifiers if m in ("xor", "and")), "")
    p = Product(_PARTS[factor], factor, factor, c, d, combine, "satfinite" in i.modifiers)
    tiles = [Tile(operand, shape, kind, "row") for operand, kind in zip("dabc", (d, factor, factor, c), strict=True)]
    targets, first, second, sums = (_registers(o, t) for o, t in zip(i.operands[:4], tiles, strict=True))
    if shape == "m8n32k16":
        # The transposed product: what B holds stands in the place of A.
        first, second = second, first
    # The parts have one of the factors in common; of f16, whose registers repeat, only the first ones count.
    parts = len(targets) // p.registers(3)
    own = 1 if shape.startswith("m16n") else 0
    values: list[Val] = []
    for n in range(parts):
        factors = [
            _slice(registers, p.registers(k), n if k == own else 0) for k, registers in enumerate((first, second))
        ]
        values += map(e.read, multiply(e, i, p, factors, _slice(sums, p.registers(2), n)))
    for target, value in zip(targets, values, strict=True):
        e.put(target, value)


def _slice(registers: Operands, count: int, n: int) -> Operands:
    return registers[count * n : count * (n + 1)]


def _add(factor: str, need: str = "mma sync aligned", allow: str = "row col") -> None:
    shapes, sums = FACTORS[factor]
    kinds = " ".join(sums)
    types = {"middle": factor, "third": factor} if factor != "f16" else {}
    add_row("wmma", kinds, _multiply, to=kinds, need=need, allow=f"{allow} {' '.join(shapes)}", pure=False, **types)


for _factor in ("f16", "bf16", "tf32"):
    _add(_factor)
_add("f64", allow="row col rn rz rm rp")
for _factor in ("s8", "u8", "s4", "u4"):
    _add(_factor, allow="row col satfinite")
for _combine in ("xor", "and"):
    _add("b1", f"mma {_combine} popc sync aligned")
