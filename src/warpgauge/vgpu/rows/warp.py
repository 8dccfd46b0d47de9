"""Instructions in which lanes of a warp see each other."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import Instruction, Pair

from .. import types as ty
from ..emit import Val
from ..runtime import barrier as rt_barrier
from ..runtime import lanes as rt_lanes
from .table import row

_FRAME = ["ptr %ctx", "ptr %blk"]
_SHUFFLES = {"up": rt_lanes.UP, "down": rt_lanes.DOWN, "bfly": rt_lanes.BFLY, "idx": rt_lanes.IDX}


@row("shfl", "b32", need="sync up", pure=False)
@row("shfl", "b32", need="sync down", pure=False)
@row("shfl", "b32", need="sync bfly", pure=False)
@row("shfl", "b32", need="sync idx", pure=False)
def _shfl(e: Any, i: Instruction) -> None:
    target = i.operands[0]
    mode = next(_SHUFFLES[m] for m in i.modifiers if m in _SHUFFLES)
    symbol = e.library.need(rt_lanes.shuffle, SHUFFLE=mode)
    values = [f"{x.type} {x.name}" for x in (e.vector(e.src(o, "b32")) for o in i.operands[1:5])]
    inside = e.call(symbol, "i32", [*_FRAME, f"i32 {i.index}", "i32 %warp", *values, f"i32 {e.mask()}", "ptr %scratch"])
    result = e.row("%scratch", 0, "b32")
    if isinstance(target, Pair):
        e.put(target.second, e.lanes(inside))
        target = target.first
    e.put(target, result)


def _vote_bits(e: Any, i: Instruction) -> tuple[str, str]:
    mask = e.mask()
    bits = e.bits(e.src(i.operands[1], "pred"))
    return e.let(f"and i32 {bits}, {mask}", "b32", True).name, mask


@row("vote", "b32", need="sync ballot", pure=False)
def _ballot(e: Any, i: Instruction) -> None:
    yes, _ = _vote_bits(e, i)
    member = e.src(i.operands[2], "b32")
    e.put(i.operands[0], e.op("and {T} {a}, {b}", "b32", Val(yes, "b32", True), member))


@row("vote", "pred", need="sync all", pure=False)
@row("vote", "pred", need="sync any", pure=False)
@row("vote", "pred", need="sync uni", pure=False)
def _vote(e: Any, i: Instruction) -> None:
    """Over the lanes that this lane's mask names."""
    yes, mask = _vote_bits(e, i)
    member = e.op("and {T} {a}, {b}", "b32", e.src(i.operands[2], "b32"), Val(mask, "b32", True))
    mine = e.op("and {T} {a}, {b}", "b32", Val(yes, "b32", True), member)
    none = e.op("icmp eq {T} {a}, {b}", "b32", mine, e.const(0, "b32"), out="pred")
    every = e.op("icmp eq {T} {a}, {b}", "b32", mine, member, out="pred")
    if "all" in i.modifiers:
        result = every
    elif "any" in i.modifiers:
        result = e.op("xor {T} {a}, {b}", "pred", none, e.const(1, "pred"))
    else:
        result = e.op("or {T} {a}, {b}", "pred", none, every)
    e.put(i.operands[0], result)


def _grouped(e: Any, i: Instruction, symbol: str, kind: str) -> Val:
    """Call a runtime function of (value, member masks, active lanes) that fills a row of 32-bit results."""
    a, member = e.vector(e.src(i.operands[1], kind)), e.vector(e.src(i.operands[2], "b32"))
    values = [f"{x.type} {x.name}" for x in (a, member)]
    e.call(symbol, "void", [*values, f"i32 {e.mask()}", "ptr %scratch"])
    return e.row("%scratch", 0, "b32")


@row("match", "b32 b64", need="sync any", pure=False)
def _match_any(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    symbol = e.library.need(rt_lanes.match_any, UNIT=ty.INTS[int(kind[1:])])
    e.put(i.operands[0], _grouped(e, i, symbol, kind))


@row("match", "b32 b64", need="sync all", pure=False)
def _match_all(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    symbol = e.library.need(rt_lanes.match_all, UNIT=ty.INTS[int(kind[1:])])
    found = _grouped(e, i, symbol, kind)
    target = i.operands[0]
    if isinstance(target, Pair):
        e.put(target.second, e.op("icmp ne {T} {a}, {b}", "b32", found, e.const(0, "b32"), out="pred"))
        target = target.first
    e.put(target, found)


_REDUCE = {
    "add": rt_lanes.R_ADD, "and": rt_lanes.R_AND, "or": rt_lanes.R_OR, "xor": rt_lanes.R_XOR,
    "mins": rt_lanes.R_MIN, "maxs": rt_lanes.R_MAX, "minu": rt_lanes.R_UMIN, "maxu": rt_lanes.R_UMAX,
}  # fmt: skip


@row("redux", "u32 s32", need="sync add", pure=False)
@row("redux", "u32 s32", need="sync min", pure=False)
@row("redux", "u32 s32", need="sync max", pure=False)
@row("redux", "b32", need="sync and", pure=False)
@row("redux", "b32", need="sync or", pure=False)
@row("redux", "b32", need="sync xor", pure=False)
def _redux(e: Any, i: Instruction) -> None:
    name = next(m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor"))
    key = name + i.types[-1][0] if name in ("min", "max") else name
    symbol = e.library.need(rt_lanes.redux, REDUCE=_REDUCE[key])
    e.put(i.operands[0], _grouped(e, i, symbol, "b32"))


@row("activemask", "b32", pure=False)
def _activemask(e: Any, i: Instruction) -> None:
    e.put(i.operands[0], Val(e.mask(), "b32", True))


@row("elect", need="sync", pure=False)
def _elect(e: Any, i: Instruction) -> None:
    """The lowest active lane in the mask is the leader."""
    target = i.operands[0]
    group = e.op("and {T} {a}, {b}", "b32", e.src(i.operands[1], "b32"), Val(e.mask(), "b32", True))
    low = e.intrinsic("cttz", "b32", group, extra=", i1 false")
    lane = e.op("icmp eq {T} {a}, {b}", "b32", e.special("laneid"), low, out="pred")
    if isinstance(target, Pair):
        e.put(target.first, low)
        target = target.second
    e.put(target, lane)


@row("bar", need="warp sync", pure=False)
def _warp_barrier(e: Any, i: Instruction) -> None:
    member = e.vector(e.src(i.operands[0], "b32"))
    symbol = e.library.need(rt_barrier.warp_sync)
    e.call(symbol, "void", ["ptr %blk", "ptr %state", "i32 %warp", f"{member.type} {member.name}", f"i32 {e.mask()}"])
