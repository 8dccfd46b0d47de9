"""ldmatrix, stmatrix, movmatrix: 8x8 matrices of 16-bit elements in the layout that tensor cores read."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Address, Instruction

from ..emit import Unsupported
from ..runtime import access as rt_access
from ..runtime import matrix as rt_matrix
from .memory import each_space, elements, emit_access
from .table import row

_SHAPE = ("b32", 4)  # a row: four words


def _parts(e: Any, i: Instruction, operand: Any, count: int) -> list[tuple[str, Any, str]]:
    """(space, address, lanes) of the lanes that give rows: 8q to 8q + 7 for matrix q."""
    if not isinstance(operand, Address):
        raise Unsupported("this address form")
    suppliers = (1 << 8 * count) - 1
    signed = suppliers - (1 << 32) if suppliers >> 31 else suppliers
    return [
        (space, a, e.let(f"and i32 {mask}, {signed}", "b32", True).name) for space, a, mask in each_space(e, i, operand)
    ]


def _ldmatrix(e: Any, i: Instruction) -> None:
    """Lanes 8q to 8q+7 give the row addresses of matrix q; each matrix is one group of its own when counted."""
    targets = elements(i.operands[0])
    for space, a, rows in _parts(e, i, i.operands[1], len(targets)):
        emit_access(e, i, rt_access.load, "load", a, rows, (*_SHAPE, space, False), ["%scratch"], merges=False)
    symbol = e.library.need(rt_matrix.matrix_of, TRANSPOSED="trans" in i.modifiers)
    area, places = e.rows(len(targets), "b32")
    for n, (target, lies) in enumerate(zip(targets, places, strict=True)):
        place = e.let(f"getelementptr i8, ptr {area}, i64 {lies.offset}", "b64", True).name
        e.call(symbol, "void", ["ptr %scratch", f"i32 {8 * n}", f"ptr {place}"])
        e.put_row(target, lies)


def _stmatrix(e: Any, i: Instruction) -> None:
    """The inverse of ldmatrix: each lane that gives an address stores one row of 16 bytes."""
    sources = elements(i.operands[1])
    symbol = e.library.need(rt_matrix.rows_of, TRANSPOSED="trans" in i.modifiers)
    parts = _parts(e, i, i.operands[0], len(sources))
    for n, source in enumerate(sources):
        matrix = e.vector(e.src(source, "b32"))
        e.call(symbol, "void", [f"{matrix.type} {matrix.name}", f"i32 {8 * n}", "ptr %scratch"])
    for space, a, rows in parts:
        emit_access(e, i, rt_access.store, "store", a, rows, (*_SHAPE, space, False), ["%scratch"], merges=False)


for _count in ("x1", "x2", "x4"):
    row("ldmatrix", "b16", need=f"sync aligned m8n8 {_count}", allow="trans shared cta", pure=False)(_ldmatrix)
    row("stmatrix", "b16", need=f"sync aligned m8n8 {_count}", allow="trans shared cta", pure=False)(_stmatrix)


@row("movmatrix", "b16", need="sync aligned m8n8 trans", pure=False)
def _movmatrix(e: Any, i: Instruction) -> None:
    """Rows become columns."""
    matrix = e.vector(e.src(i.operands[1], "b32"))
    symbol = e.library.need(rt_matrix.transposed)
    e.put(i.operands[0], e.let(f"call {matrix.type} @{symbol}({matrix.type} {matrix.name})", "b32", False))
