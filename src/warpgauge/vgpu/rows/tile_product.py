"""wmma.mma: the product of two fragments, computed as the machine computes it, by products of the shapes of mma."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warpgauge.ptx import Instruction, Operand
from warpgauge.ptx.tiles import FACTORS, Tile

from ..emit import Unsupported, Val
from ..products import Product
from ..runtime import product as rt_product
from .memory import elements
from .table import add_row

_SHAPES = "m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128"
# The shape of one product for each type of the factors.
_PARTS = {
    **dict.fromkeys(("f16", "bf16", "s8", "u8"), "m16n8k16"),
    "tf32": "m16n8k8", "f64": "m8n8k4", "s4": "m8n8k32", "u4": "m8n8k32", "b1": "m8n8k128",
}  # fmt: skip


def _registers(operand: Operand, tile: Tile) -> Sequence[Any]:
    found = elements(operand)
    if len(found) != tile.registers:
        raise Unsupported(f"{len(found)} registers where a fragment of {tile.type} has {tile.registers}")
    return found


def _multiply(e: Any, i: Instruction) -> None:
    """f16 sums are rounded to f16 once, after the sum over the whole inner dimension."""
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
    halves = [
        _part(
            e,
            p,
            _slice(first, p.registers(0), n * (shape[:4] != "m16n")),
            _slice(second, p.registers(1), n * (shape[:4] == "m16n")),
            _slice(sums, p.registers(2), n),
        )
        for n in range(len(targets) // p.registers(3))
    ]
    for target, value in zip(targets, [value for half in halves for value in half], strict=True):
        e.put(target, value)


def _slice(registers: Sequence[Any], count: int, n: int) -> Sequence[Any]:
    return registers[count * n : count * (n + 1)]


def _part(e: Any, p: Product, a: Sequence[Any], b: Sequence[Any], c: Sequence[Any]) -> list[Val]:
    unit = f"b{p.unit.bits}"
    areas = ("%scratch", "%scratch2", "%scratch3")
    for area, registers in zip(areas, (a, b, c), strict=True):
        for n, register in enumerate(registers):
            e.store_row(area, n, e.src(register, unit))
    symbol = e.library.need(rt_product.product, PRODUCT=p)
    e.call(symbol, "void", [*(f"ptr {area}" for area in areas), "ptr %scratch3"])
    return [e.row("%scratch3", n, unit) for n in range(p.registers(3))]


def _add(factor: str, need: str = "mma sync aligned", allow: str = "row col") -> None:
    shapes, sums = FACTORS[factor]
    kinds = " ".join(sums)
    types = {"middle": factor, "third": factor} if factor != "f16" else {}
    add_row("wmma", kinds, _multiply, to=kinds, need=need, allow=f"{allow} {' '.join(shapes)}", pure=False, **types)


for _factor in ("f16", "bf16", "tf32"):
    _add(_factor)
_add("f64", allow="row col rn")
for _factor in ("s8", "u8", "s4", "u4"):
    _add(_factor, allow="row col satfinite")
for _combine in ("xor", "and"):
    _add("b1", f"mma {_combine} popc sync aligned")
