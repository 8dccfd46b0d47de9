"""ldmatrix: 8x8 matrices of 16-bit elements from shared memory into the layout that tensor cores read."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Address, Instruction

from ..emit import Unsupported
from ..runtime import access as rt_access
from ..runtime import lanes as rt_lanes
from .memory import each_space, elements, emit_access
from .table import row


def _ldmatrix(e: Any, i: Instruction) -> None:
    """Lanes 8q to 8q+7 give the row addresses of matrix q; each matrix is one group of its own when counted."""
    source = i.operands[1]
    targets = elements(i.operands[0])
    if not isinstance(source, Address):
        raise Unsupported("this address form")
    suppliers = (1 << 8 * len(targets)) - 1
    signed = suppliers - (1 << 32) if suppliers >> 31 else suppliers
    for space, a, mask in each_space(e, i, source):
        rows = e.let(f"and i32 {mask}, {signed}", "b32", True).name
        emit_access(e, i, rt_access.load, "load", a, rows, ("b32", 4, space, False), ["%scratch"], merges=False)
    symbol = e.library.need(rt_lanes.matrix_elements, TRANSPOSED="trans" in i.modifiers)
    for n, target in enumerate(targets):
        e.call(symbol, "void", ["ptr %scratch", f"i32 {8 * n}", "ptr %scratch2"])
        e.put(target, e.row("%scratch2", 0, "b32"))


for _count in ("x1", "x2", "x4"):
    row("ldmatrix", "b16", need=f"sync aligned m8n8 {_count}", allow="trans shared cta", pure=False)(_ldmatrix)
