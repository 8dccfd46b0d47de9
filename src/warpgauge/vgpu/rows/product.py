"""mma: products of small matrices that lie spread over the registers of a warp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warpgauge.ptx import Instruction, Operand
from warpgauge.ptx.mma_shapes import MMA_SHAPES

from ..emit import Row, Unsupported
from ..products import Product
from ..runtime import product as rt_product
from .memory import elements
from .table import add_row

Operands = Sequence[Operand]
_TYPES = frozenset({*MMA_SHAPES, "f32", "s32"})
# Types of A and B that go together.
_FAMILIES = ("f16", "bf16", "tf32", "f64", "s8 u8", "s4 u4", "b1", "e4m3 e5m2")
_OPTIONAL = {"s8 u8": "satfinite", "s4 u4": "satfinite", "f64": "rn rz rm rp"}


_DIRECTED = {"rz": rt_product.TO_ZERO, "rp": rt_product.UP, "rm": rt_product.DOWN}


def product_of(i: Instruction) -> Product:
    """The product that the modifiers name."""
    shape = next(m for m in i.modifiers if m[0] == "m" and m[1:2].isdigit())
    d, a, b, c = (m for m in i.modifiers if m in _TYPES)
    combine = next((m for m in i.modifiers if m in ("xor", "and")), "")
    first, second = (m for m in i.modifiers if m in ("row", "col"))
    return Product(shape, a, b, c, d, combine, "satfinite" in i.modifiers, (first, second))


def multiply(e: Any, i: Instruction, p: Product, factors: Sequence[Operands], sums: Operands) -> list[Row]:
    """The registers of D from those of A and B, and C; `i` says how f64 is rounded."""
    unit = f"b{p.unit.bits}"
    areas = ("%scratch", "%scratch2", "%scratch3")
    places: list[str] = []
    for number, (area, given) in enumerate(zip(areas, (*factors, sums), strict=True)):
        if len(given) != p.registers(number):
            raise Unsupported(f"{len(given)} registers where {p.registers(number)} hold the matrix")
        places.append(e.together(given, unit, area))
    mode = next((_DIRECTED[m] for m in i.modifiers if m in _DIRECTED), None)
    if mode is None:
        symbol = e.library.need(rt_product.product, PRODUCT=p)
    else:
        symbol = e.library.need(rt_product.directed, PRODUCT=p, ROUNDING=mode)
    result, rows = e.rows(p.registers(3), unit)
    e.call(symbol, "void", [f"ptr {place}" for place in (*places, result)])
    return rows


def _mma(e: Any, i: Instruction) -> None:
    """Products are exact; each sum starts at C and takes them in ascending order of k, each addition rounded to f32
    (f64: fused)."""
    a, b, c = (elements(operand) for operand in i.operands[1:4])
    for target, value in zip(elements(i.operands[0]), multiply(e, i, product_of(i), (a, b), c), strict=True):
        e.put_row(target, value)


def _four(e: Any, i: Instruction) -> None:
    """Four products at once, each of eight lanes; A and B each in row or column order."""
    _mma(e, i)


def _counts(e: Any, i: Instruction) -> None:
    """Bits of A and B combined, the ones counted and added to C modulo 2**32."""
    _mma(e, i)


def _integers(e: Any, i: Instruction) -> None:
    """The exact sum is added to C modulo 2**32, or clamped to s32."""
    _mma(e, i)


def _add(sums: str, family: str, need: str, result: str = "") -> None:
    four = need == "m8n8k4" and family == "f16"
    emit = _four if four else _counts if family == "b1" else _integers if sums == "s32" else _mma
    add_row(
        "mma", sums, emit, to=result or sums, middle=family, third=family, need=f"sync aligned {need}",
        allow="row col" if four else _OPTIONAL.get(family, ""), pure=False,
    )  # fmt: skip


for _family in _FAMILIES:
    _row = MMA_SHAPES[_family.split()[0]]
    for _shape in _row.shapes:
        for _sums in _row.accumulators:
            if (_family, _shape) == ("f16", "m8n8k4"):
                _add(_sums, _family, _shape)
                if _sums == "f16":
                    _add(_sums, _family, _shape, "f32")
            elif _family == "b1":
                for _how in ("xor", "and"):
                    _add(_sums, _family, f"{_shape} row col {_how} popc")
            else:
                _add(_sums, _family, f"{_shape} row col")
