"""Calls of what the machine provides: printf and a failed assertion. Other calls are the code generator's own."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction, Symbol

from ..emit import Unsupported
from ..layout import STOP_ASSERT
from .table import row


@row("call", allow="uni", pure=False)
def _system_call(e: Any, i: Instruction) -> None:
    callee = i.operands[1]
    name = callee.name if isinstance(callee, Symbol) else ""
    if name == "vprintf":
        address = e.context("PRINTER")
        pointer = e.let(f"inttoptr i64 {address.name} to ptr", "b64", True)
        slot = e.block("SLOT")
        warp = e.let("zext i32 %warp to i64", "b64", True)
        mask = e.let(f"zext i32 {e.mask()} to i64", "b64", True)
        e.emit(f"call void {pointer.name}(i64 {i.index}, i64 {slot.name}, i64 {warp.name}, i64 {mask.name}, i64 0)")
    elif name == "__assertfail":
        e.stop(i, e.mask(), STOP_ASSERT, f"I{i.index}")
    elif name:
        raise Unsupported(f"a call of {name}, whose code is not there")
    else:
        raise Unsupported("a call through a pointer to functions that are not there")
