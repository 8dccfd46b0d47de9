"""Barriers, fences and instructions that only wait. Branches and exits are the code generator's own."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction, Operand, Register
from warpgauge.ptx.cfg import is_block_barrier

from ..emit import Val
from ..layout import WARP
from ..runtime import barrier as rt_barrier
from .table import row

_SCOPES = "cta cluster gpu sys"
_BAR, _BARRIER = "cta", "cta aligned"


def _scalar(e: Any, operand: Operand) -> str:
    """A barrier's number or count; the first active lane decides where it is a register."""
    value = e.src(operand, "b32")
    if value.uniform:
        return value.name
    first = e.intrinsic("cttz", "b32", Val(e.mask(), "b32", True), extra=", i1 false")
    return e.let(f"extractelement {value.type} {value.name}, i32 {first.name}", "b32", True).name


def _arrive(e: Any, i: Instruction, operands: tuple[Operand, ...], waits: int, flags: str = "0") -> None:
    number = _scalar(e, operands[0]) if operands else "0"
    count = _scalar(e, operands[1]) if len(operands) > 1 else "0"
    symbol = e.library.need(rt_barrier.bar_arrive)
    arguments = [
        "ptr %ctx", "ptr %blk", "ptr %state", "i32 %warp", f"i32 {i.index}", f"i32 {number}", f"i32 {count}",
        f"i32 {e.mask()}", f"i32 {waits}", f"i32 {e.block_index + 1}", f"i32 {flags}",
    ]  # fmt: skip
    e.call(symbol, "void", arguments)


@row("bar", need="sync", allow=_BAR, pure=False)
@row("barrier", need="sync", allow=_BARRIER, pure=False)
def _sync(e: Any, i: Instruction) -> None:
    assert is_block_barrier(i)
    _arrive(e, i, i.operands, 1)


@row("bar", need="arrive", allow=_BAR, pure=False)
@row("barrier", need="arrive", allow=_BARRIER, pure=False)
def _bar_arrive(e: Any, i: Instruction) -> None:
    _arrive(e, i, i.operands, 0)


@row("bar", "u32", need="red popc", allow=_BAR, pure=False)
@row("bar", "pred", need="red and", allow=_BAR, pure=False)
@row("bar", "pred", need="red or", allow=_BAR, pure=False)
@row("barrier", "u32", need="red popc", allow=_BARRIER, pure=False)
@row("barrier", "pred", need="red and", allow=_BARRIER, pure=False)
@row("barrier", "pred", need="red or", allow=_BARRIER, pure=False)
def _reduce(e: Any, i: Instruction) -> None:
    """The result is read where the lanes go on (see `reduction_result`)."""
    flags = e.bits(e.src(i.operands[-1], "pred"))
    _arrive(e, i, i.operands[1:-1], 1, flags)
    at, waiting = _reduced_lanes(e)
    came = e.let(f"zext i32 {e.mask()} to i64", "b64", True)
    both = e.let(f"or i64 {waiting.name}, {came.name}", "b64", True)
    e.emit(f"store i64 {both.name}, ptr {at}")


def _reduced_lanes(e: Any) -> tuple[str, Val]:
    """Lanes that executed `bar.red` and have not taken its result: others may reach the same block by a branch."""
    at = e.let(f"getelementptr i64, ptr %state, i64 {WARP['REDLANES']}", "b64", True).name
    return at, e.let(f"load i64, ptr {at}", "b64", True)


def reduction_result(e: Any, i: Instruction) -> None:
    """At the block after `bar.red`: put the barrier's popc, and, or, for the lanes that come from it."""
    at, waiting = _reduced_lanes(e)
    mine = e.let(f"and i32 {e.resize(waiting, 'b32').name}, {e.mact}", "b32", True)
    taken = e.let(f"zext i32 {mine.name} to i64", "b64", True)
    left = e.let(f"xor i64 {waiting.name}, {taken.name}", "b64", True)
    e.emit(f"store i64 {left.name}, ptr {at}")
    e.guard = e.lanes(mine.name)
    slot = {"popc": "REDCOUNT", "and": "REDAND", "or": "REDOR"}[
        next(m for m in i.modifiers if m in ("popc", "and", "or"))
    ]
    cell = e.let(f"getelementptr i64, ptr %state, i64 {WARP[slot]}", "b64", True)
    value = e.let(f"load i64, ptr {cell.name}", "b64", True)
    target = i.operands[0]
    assert isinstance(target, Register)
    if "popc" in i.modifiers:
        e.put(target, e.resize(value, "b32"))
    else:
        e.put(target, e.op("icmp ne {T} {a}, {b}", "b64", value, e.const(0, "b64"), out="pred"))
    # The block that holds the instruction has ended: no later store of live registers knows of this one.
    if target.name in e.slots:
        e.keep(target.name)


@row("membar", allow="cta gl sys", pure=False)
@row("fence", need="sc", allow=_SCOPES, pure=False)
@row("fence", need="acq_rel", allow=_SCOPES, pure=False)
@row("fence", need="release", allow=_SCOPES, pure=False)
@row("fence", need="mbarrier_init release", allow="cluster", pure=False)
def _fence(e: Any, i: Instruction) -> None:
    """A fence of the block's scope orders what flags and locks in shared memory hand on."""
    e.fence(block_scope="cta" in i.modifiers)


@row("fence", need="acquire", allow=_SCOPES, pure=False)
@row("fence", need="proxy alias", pure=False)
@row("fence", need="proxy async", allow="global shared cta cluster", pure=False)
@row("nanosleep", "u32", pure=False)
@row("pmevent", allow="mask", pure=False)
@row("griddepcontrol", need="wait", pure=False)
@row("griddepcontrol", need="launch_dependents", pure=False)
def _nothing(e: Any, i: Instruction) -> None:
    """Timing, and proxies that are not modelled. A read itself says what it acquires; a launch ends before the next
    one begins."""
