"""cp.async: copies from global to shared memory that go on while the thread does, their groups and waits."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Address, Immediate, Instruction, Register

from ..emit import Unsupported, Val
from ..frame import SiteKey
from ..layout import ARRIVE_BINDS, ARRIVE_RELEASES
from ..runtime import copy as rt
from ..runtime import pending
from .mbarrier import arrive
from .memory import address, constants
from .table import row

_HINTS = "cta L2 64B 128B 256B cache_hint"
_SIZES = {"ca": (4, 8, 16), "cg": (16,)}


def _source_bytes(e: Any, i: Instruction, width: int) -> Val:
    """How many bytes each lane reads; zeros fill the rest. The operand is a number of bytes, or a predicate that says
    to read none; a cache policy may follow."""
    more = list(i.operands[3:])
    if "cache_hint" in i.modifiers:
        more.pop()
    whole = e.const(width, "b32")
    if not more:
        return whole
    if isinstance(more[0], Register) and e.kernel.registers[more[0].name] == "pred":
        return e.select(e.src(more[0], "pred"), e.const(0, "b32"), whole)
    return e.intrinsic("umin", "b32", e.src(more[0], "b32"), whole)


@row("cp", need="async ca shared global", allow=_HINTS, pure=False)
@row("cp", need="async cg shared global", allow=_HINTS, pure=False)
def _copy(e: Any, i: Instruction) -> None:
    """Two sites: the read of global memory and the write of shared memory. The data lands at once, which a correct
    program cannot tell; shadow mode keeps the bytes pending until a wait."""
    target, source, size = i.operands[:3]
    kind = "ca" if "ca" in i.modifiers else "cg"
    if not isinstance(target, Address) or not isinstance(source, Address) or not isinstance(size, Immediate):
        raise Unsupported("this form of operands")
    if size.value not in _SIZES[kind]:
        raise Unsupported(f"a copy of {size.value} bytes: cp.async.{kind} has {_SIZES[kind]}")
    mask = e.mask()
    sizes = e.vector(_source_bytes(e, i, size.value))
    count = size.value // 4
    sites = {
        space: e.site(SiteKey(i, space, op, size.value)) for space, op in (("global", "load"), ("shared", "store"))
    }
    at = e.vector(address(e, source, "global"))
    symbol = e.library.need(rt.copy_source, **constants(e, "global", "b32", count, False))
    frame = ["ptr %ctx", "ptr %blk"]
    place = [f"i32 {i.index}", "i32 %warp"]
    amount = f"{sizes.type} {sizes.name}"
    arguments = [*frame, f"ptr {sites['global']}", *place, f"{at.type} {at.name}", f"i32 {mask}", amount]
    e.call(symbol, "void", [*arguments, "ptr %scratch"])
    to = e.vector(address(e, target, "shared"))
    symbol = e.library.need(rt.copy_target, **constants(e, "shared", "b32", count, False))
    arguments = [*frame, f"ptr {sites['shared']}", *place, f"{to.type} {to.name}", f"i32 {mask}", amount]
    e.call(symbol, "void", [*arguments, "ptr %scratch"])


@row("cp", need="async commit_group", pure=False)
def _commit(e: Any, i: Instruction) -> None:
    """The copies that a thread has begun since its last group become a group."""
    if e.frame.shadow and _copies(e):
        e.call(e.library.need(pending.copy_commit), "void", ["ptr %blk", "i32 %warp", f"i32 {e.mask()}"])


@row("cp", need="async wait_group", pure=False)
@row("cp", need="async wait_all", pure=False)
def _wait(e: Any, i: Instruction) -> None:
    """`wait_group N`: all but the thread's last N groups are complete; `wait_all`: all copies, in groups or not."""
    if not e.frame.shadow or not _copies(e):
        return
    kept = 0
    if "wait_all" in i.modifiers:
        _commit(e, i)
    else:
        assert isinstance(i.operands[0], Immediate)
        kept = i.operands[0].value
    symbol = e.library.need(pending.copy_wait, GRANULE_SHIFT=e.frame.granule_shift["shared"])
    e.call(symbol, "void", ["ptr %blk", f"i32 {i.index}", "i32 %warp", f"i32 {e.mask()}", f"i32 {kept}"])


def _copies(e: Any) -> bool:
    """Whether the kernel has any copy for which logs are kept."""
    return any(other.opcode == "cp" and other.modifiers[1] in _SIZES for other in e.kernel.instructions)


@row("cp", "b64", need="async mbarrier arrive", allow="noinc shared cta", pure=False)
def _arrive_on(e: Any, i: Instruction) -> None:
    """The thread's copies so far belong to the running phase: they are complete for those who wait for it. Without
    `noinc` the phase expects one arrival more for that, which leaves its count as it was."""
    assert isinstance(i.operands[0], Address)
    flags = ARRIVE_RELEASES | ARRIVE_BINDS
    arrive(e, i, i.operands[0], e.const(int("noinc" in i.modifiers), "b32"), e.const(0, "b32"), flags)
