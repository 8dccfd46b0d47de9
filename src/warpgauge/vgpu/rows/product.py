"""mma: products of small matrices that lie spread over the registers of a warp."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction
from warpgauge.ptx.mma_shapes import MMA_SHAPES

from ..emit import Unsupported
from ..products import Product
from ..runtime import product as rt_product
from .memory import elements
from .table import add_row

_TYPES = frozenset({*MMA_SHAPES, "f32", "s32"})


def _product(i: Instruction) -> Product:
    """The product that the modifiers name."""
    shape = next(m for m in i.modifiers if m[0] == "m" and m[1:2].isdigit())
    d, a, b, c = (m for m in i.modifiers if m in _TYPES)
    combine = next((m for m in i.modifiers if m in ("xor", "and")), "")
    return Product(shape, a, b, c, d, combine, "satfinite" in i.modifiers)


def _mma(e: Any, i: Instruction) -> None:
    p = _product(i)
    unit = f"b{p.unit.bits}"
    areas = ("%scratch", "%scratch2", "%scratch3")
    for number, (area, operand) in enumerate(zip(areas, i.operands[1:4], strict=True)):
        given = elements(operand)
        if len(given) != p.registers(number):
            raise Unsupported(f"{len(given)} registers where {p.registers(number)} hold the matrix")
        for n, register in enumerate(given):
            e.store_row(area, n, e.src(register, unit))
    symbol = e.library.need(rt_product.product, PRODUCT=p)
    e.call(symbol, "void", [*(f"ptr {area}" for area in areas), "ptr %scratch3"])
    for n, target in enumerate(elements(i.operands[0])):
        e.put(target, e.row("%scratch3", n, unit))


add_row("mma", "f32", _mma, to="f32", middle="f16", third="f16", need="sync aligned m16n8k16 row col", pure=False)
