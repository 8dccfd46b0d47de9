"""mbarrier: barriers in shared memory that threads arrive at and wait for at different times.

Transaction bytes are counted, but no bulk copy completes them.
"""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Address, Instruction, Operand, Register

from ..emit import Unsupported, Val
from ..layout import ARRIVE_DROPS, ARRIVE_KEEPS, ARRIVE_RELEASES, SHARED_SPACE, WAIT_ACQUIRES, WAIT_PARITY
from ..runtime import mbarrier as rt
from .memory import address
from .table import row

_PLACE = "shared cta"
_ARRIVE = "shared cta cluster release relaxed"
_WAIT = "shared cta cluster acquire relaxed"
_RANKS = "shared cta cluster relaxed"


def _constants(e: Any, *, strong: bool = False, atomic: bool = False) -> dict[str, Any]:
    shadow = {"SHADOW": e.frame.shadow, "GRANULE_SHIFT": e.frame.granule_shift["shared"]}
    return shadow | {"GLOBAL": False, "SPACE_CODE": SHARED_SPACE, "STRONG": strong, "ATOMIC": atomic, "COPIED": False}


def _at(e: Any, i: Instruction, operand: Operand) -> Val:
    """The shared address of each lane's mbarrier; the low half of a generic address of shared memory is just that."""
    if not isinstance(operand, Address):
        raise Unsupported("this address form")
    generic = "shared" not in i.modifiers
    return e.vector(e.resize(address(e, operand, "generic"), "b32") if generic else address(e, operand, "shared"))


def _pass(*values: Val) -> list[str]:
    return [f"{v.type} {v.name}" for v in values]


@row("mbarrier", "b64", need="init", allow=_PLACE, pure=False)
@row("mbarrier", "b64", need="inval", allow=_PLACE, pure=False)
def _set(e: Any, i: Instruction) -> None:
    """`init` must come before every other use, with a barrier between; `inval` counts as one more of the operations
    that may meet, because libraries order it by an atomic that hands nothing on."""
    ends = "inval" in i.modifiers
    count = e.vector(e.const(1, "b32") if ends else e.src(i.operands[1], "b32"))
    symbol = e.library.need(rt.mbarrier_set, **_constants(e, atomic=ends))
    arguments = ["ptr %ctx", "ptr %blk", f"i32 {i.index}", "i32 %warp", *_pass(_at(e, i, i.operands[0]))]
    e.call(symbol, "void", [*arguments, f"i32 {e.mask()}", *_pass(count), f"i32 {int(ends)}"])


def arrive(e: Any, i: Instruction, place: Operand, count: Val, more: Val, flags: int) -> None:
    """Lanes add `more` transaction bytes and arrive `count` times; their states are left in the scratch area."""
    symbol = e.library.need(rt.mbarrier_arrive, **_constants(e, atomic=True))
    arguments = ["ptr %ctx", "ptr %blk", f"i32 {i.index}", "i32 %warp", *_pass(_at(e, i, place)), f"i32 {e.mask()}"]
    e.call(symbol, "void", [*arguments, *_pass(e.vector(count), e.vector(more)), f"i32 {flags}", "ptr %scratch"])


@row("mbarrier", "b64", need="arrive", allow=_ARRIVE, pure=False)
@row("mbarrier", "b64", need="arrive expect_tx", allow=_ARRIVE, pure=False)
@row("mbarrier", "b64", need="arrive noComplete", allow=_ARRIVE, pure=False)
@row("mbarrier", "b64", need="arrive_drop", allow=_ARRIVE, pure=False)
@row("mbarrier", "b64", need="arrive_drop expect_tx", allow=_ARRIVE, pure=False)
@row("mbarrier", "b64", need="arrive_drop noComplete", allow=_ARRIVE, pure=False)
def _arrive(e: Any, i: Instruction) -> None:
    """Hands on what the warp has done and seen, not only what the arriving lanes have."""
    operands = list(i.operands)
    target = operands.pop(0) if isinstance(operands[0], Register) else Register("_")
    number = e.src(operands[1], "b32") if len(operands) > 1 else e.const(1, "b32")
    expects = "expect_tx" in i.modifiers
    count, more = (e.const(1, "b32"), number) if expects else (number, e.const(0, "b32"))
    flags = 0 if "relaxed" in i.modifiers else ARRIVE_RELEASES
    flags |= ARRIVE_DROPS if "arrive_drop" in i.modifiers else 0
    flags |= ARRIVE_KEEPS if "noComplete" in i.modifiers else 0
    arrive(e, i, operands[0], count, more, flags)
    e.put(target, e.row("%scratch", 0, "b64"))


@row("mbarrier", "b64", need="expect_tx", allow=_RANKS, pure=False)
@row("mbarrier", "b64", need="complete_tx", allow=_RANKS, pure=False)
def _bytes(e: Any, i: Instruction) -> None:
    more = e.src(i.operands[1], "b32")
    if "complete_tx" in i.modifiers:
        more = e.op("sub {T} {a}, {b}", "b32", e.const(0, "b32"), more)
    arrive(e, i, i.operands[0], e.const(0, "b32"), more, 0)


@row("mbarrier", "b64", need="test_wait", allow=_WAIT, pure=False)
@row("mbarrier", "b64", need="test_wait parity", allow=_WAIT, pure=False)
@row("mbarrier", "b64", need="try_wait", allow=_WAIT, pure=False)
@row("mbarrier", "b64", need="try_wait parity", allow=_WAIT, pure=False)
def _test(e: Any, i: Instruction) -> None:
    """`try_wait` does not suspend the thread: it answers as `test_wait` does, whatever its time."""
    parity = "parity" in i.modifiers
    value = e.src(i.operands[2], "b32" if parity else "b64")
    flags = (WAIT_PARITY if parity else 0) | (0 if "relaxed" in i.modifiers else WAIT_ACQUIRES)
    symbol = e.library.need(rt.mbarrier_test, **_constants(e, strong=True))
    arguments = ["ptr %ctx", "ptr %blk", "ptr %state", f"i32 {i.index}", "i32 %warp"]
    arguments += [*_pass(_at(e, i, i.operands[1])), f"i32 {e.mask()}", *_pass(e.vector(e.resize(value, "b64")))]
    done = e.call(symbol, "i32", [*arguments, f"i32 {flags}"])
    e.put(i.operands[0], e.lanes(done))


@row("mbarrier", "b64", need="pending_count")
def _pending_count(e: Any, i: Instruction) -> None:
    """Arrivals that the phase still lacked when the state was taken."""
    count = e.op("and {T} {a}, {b}", "b64", e.src(i.operands[1], "b64"), e.const((1 << 20) - 1, "b64"))
    e.put(i.operands[0], e.resize(count, "b32"))
