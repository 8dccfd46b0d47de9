"""Fault entries and stuck warps -> findings in words."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpgauge import ptx
from warpgauge.evidence import Fault, Location

from .console import LaneMemory
from .layout import (
    ARENA_BASE,
    BLOCK_SHIFT,
    CTX,
    F_BARRIER_COUNT,
    F_BARRIER_MIXED,
    F_BARRIER_PASSED,
    F_EARLY_EXIT,
    F_MASK,
    F_MASK_ABSENT,
    F_MASK_PASSED,
    F_MBARRIER,
    F_MISALIGNED,
    F_OUT_OF_BOUNDS,
    F_PART_OF_WARP,
    F_PENDING,
    F_RACE_RAW,
    F_RACE_WAR,
    F_RACE_WAW,
    F_READ_ONLY,
    F_SOURCE_LANE,
    F_SOURCE_UNNAMED,
    F_UNINITIALISED,
    F_WIDTH,
    FAULT,
    FAULT_CAPACITY,
    FAULT_SLOTS,
    GLOBAL_SPACE,
    LANES,
    LOCAL_SPACE,
    MBARRIER_BEYOND,
    MBARRIER_COUNT,
    MBARRIER_ENDED,
    MBARRIER_NONE,
    MBARRIER_TWICE,
    PENDING_BOUND,
    PENDING_COMMITTED,
    SHARED_SPACE,
    STOP_ASSERT,
    STOP_STACK,
    STOP_UNSUPPORTED,
    THREAD_SHIFT,
    UNKNOWN_PLACE,
    WARP,
)
from .memory import GlobalMemory
from .outcome import Outcome
from .prepare import Prepared
from .shared_arrays import owner, plain
from .slots import BlockSlot, Worker
from .state import header_layout

Index3 = tuple[int, int, int]
# Other instructions of a finding, by index, with a word for each.
_Related = tuple[tuple[int, str], ...]


def unravel(linear: int, extent: Index3) -> Index3:
    """(x, y, z) of a linear index, x fastest."""
    return (linear % extent[0], linear // extent[0] % extent[1], linear // (extent[0] * extent[1]))


_VERBS = {"ld": "reads", "ldmatrix": "reads", "cp": "copies to", "atom": "updates", "red": "updates"}


_MBARRIER = {
    MBARRIER_NONE: "this is no mbarrier: nothing has initialised it, or it was invalidated",
    MBARRIER_TWICE: "this is an mbarrier already: invalidate it before it is initialised again",
    MBARRIER_COUNT: "an mbarrier with a count of {count}; 1 to 1048575 can be",
    MBARRIER_BEYOND: "{count} arrivals where the phase expects only {left} more",
    MBARRIER_ENDED: "an arrival that says it does not complete the phase, but does",
}


class _Reader:
    """Turns the numbers of one entry into words."""

    def __init__(
        self, prepared: Prepared, memory: GlobalMemory, grid: Index3, block: Index3, files: Container[str]
    ) -> None:
        self.prepared, self.memory, self.grid, self.block, self.files = prepared, memory, grid, block, files
        self.instructions = prepared.kernel.instructions

    def place(self, index: int) -> Location:
        return self.chain(index)[0]

    def chain(self, index: int) -> tuple[Location, tuple[Location, ...]]:
        return ptx.locate(self.prepared.module, self.instructions[index], self.files)

    def calls(self, index: int, around: tuple[Location, ...]) -> tuple[Location, ...]:
        """The call sites around an instruction, without the outer ones that it shares with the chain `around`."""
        chain = list(self.chain(index)[1])
        for mine, other in zip(reversed(chain.copy()), reversed(around), strict=False):
            if mine != other:
                break
            chain.pop()
        return tuple(chain)

    def thread(self, linear: int) -> Index3:
        return unravel(linear, self.block)

    def who(self, block: int, thread: int) -> str:
        return f"block {unravel(block, self.grid)}, thread {self.thread(thread)}"

    def copies(self, index: int) -> bool:
        return self.instructions[index].opcode == "cp"

    def verb(self, index: int) -> str:
        return _VERBS.get(self.instructions[index].opcode, "writes")

    def element_bytes(self, index: int) -> int:
        types = self.instructions[index].types
        return ptx.TYPE_BYTES[types[-1]] if types else 1

    def where(self, address: int, space: int, index: int) -> str:
        """An address as buffer and element index (global) or array and byte offset (shared)."""
        if space == GLOBAL_SPACE:
            found = self.memory.locate(address)
            if found is None:
                return f"address {address:#x}"
            buffer, offset = found
            size = buffer.dtype.itemsize
            count = buffer.size // size
            name = buffer.name.split("@")[0]
            part = f" (byte {offset % size} of it)" if offset % size else ""
            return f"{name}[{offset // size}]{part}, a buffer of {count} elements of {size} bytes"
        if space == SHARED_SPACE:
            return self.shared(address)
        return f"local memory byte {address}"

    def shared(self, address: int) -> str:
        signed = address if address < 1 << 31 else address - (1 << 32)
        found = owner(self.prepared, signed)
        if found is None:
            return f"shared-memory byte {signed}"
        v, at = found
        size = f" of {v.size} bytes" if v.size else ", the dynamic shared array"
        return f"byte {signed - at} of {plain(v.name)}{size}"


def decode_faults(
    prepared: Prepared,
    memory: GlobalMemory,
    workers: list[Worker],
    grid: Index3,
    block: Index3,
    files: Container[str],
) -> list[Fault]:
    """All findings in order of place and kind; one entry per kind and pair of instructions, merged by line."""
    reader = _Reader(prepared, memory, grid, block, files)
    rows: dict[tuple[int, int, int], NDArray[np.int64]] = {}
    for worker in workers:
        table = worker.faults.reshape(FAULT_CAPACITY + 1, FAULT_SLOTS)
        for raw in table[1 : int(worker.faults[0]) + 1]:
            key = (int(raw[0]), int(raw[1]), int(raw[2]))
            if key in rows:
                rows[key][FAULT["COUNT"]] += raw[FAULT["COUNT"]]
            else:
                rows[key] = raw.copy()
    faults = [_decode(reader, row) for row in rows.values()]
    return _by_line(faults)


def _by_line(faults: list[Fault]) -> list[Fault]:
    """Several instructions of one line (an unrolled loop, say) make one finding."""
    merged: dict[Any, Fault] = {}
    for f in faults:
        others = tuple((p.file, p.line, word) for p, word in f.related)
        key = (f.code, f.location.file, f.location.line, others, f.warning)
        old = merged.get(key)
        merged[key] = old.counted_with(f) if old else f
    return sorted(merged.values(), key=lambda f: (f.location, f.code, f.related))


def _decode(reader: _Reader, row: NDArray[np.int64]) -> Fault:
    kind, index, other = int(row[0]), int(row[1]), int(row[2])
    block, thread = int(row[FAULT["BLOCK"]]), int(row[FAULT["THREAD"]])
    address, extra = int(row[FAULT["ADDRESS"]]), int(row[FAULT["EXTRA"]])
    who = reader.who(block, thread)
    related: _Related = ()
    warning = False
    if kind in (F_RACE_RAW, F_RACE_WAR, F_RACE_WAW):
        code, message, related = _race(reader, row, kind, index, other)
    elif kind == F_PENDING:
        code, message, related = _too_early(reader, row, index, other)
    elif kind == F_MBARRIER:
        code = "SAF616"
        words = _MBARRIER[other].format(count=extra >> 32 if other == MBARRIER_BEYOND else extra, left=extra & 0xFFFFF)
        message = f"{who}: {words} ({reader.where(address, SHARED_SPACE, index)})"
    elif kind == F_OUT_OF_BOUNDS:
        code = {GLOBAL_SPACE: "SAF603", LOCAL_SPACE: "SAF604"}.get(other, "SAF604")
        message = f"{who} accesses {reader.where(address, other, index)}: out of bounds ({extra} bytes)"
    elif kind == F_READ_ONLY:
        code = "SAF614"
        message = f"{who} writes {reader.where(address, other, index)}, which is an input"
    elif kind == F_MISALIGNED:
        code = "SAF607"
        message = f"{who} accesses {reader.where(address, other, index)}: not aligned to its {extra} bytes"
    elif kind == F_UNINITIALISED:
        code = "SAF606" if extra == GLOBAL_SPACE else "SAF605"
        between = extra == GLOBAL_SPACE and reader.memory.in_gap(address)
        what = "in bounds, but no element of the tensor lies there" if between else "nothing has written it"
        message = f"{who} reads {reader.where(address, extra, index)}: {what}"
    elif kind == F_MASK:
        code = "SAF608"
        message = (
            f"{who} executes this with mask {address & 0xFFFFFFFF:#010x}, which does not name lane {thread % LANES}"
        )
        message += f" (active lanes {extra & 0xFFFFFFFF:#010x})"
    elif kind == F_MASK_ABSENT:
        code = "SAF608"
        message = (
            f"{who} names lanes {extra & 0xFFFFFFFF:#010x} in mask {address & 0xFFFFFFFF:#010x}, but they do not come"
        )
    elif kind == F_PART_OF_WARP:
        code = "SAF608"
        message = (
            f"{who} executes this with lanes {address & 0xFFFFFFFF:#010x} of its warp only; it is one instruction of "
            "all 32 lanes, and undefined if any has ended, does not come or is left out by a guard"
        )
    elif kind == F_MASK_PASSED:
        code, warning = "SAF608", True
        message = (
            f"{who} names lanes {extra & 0xFFFFFFFF:#010x} in mask {address & 0xFFFFFFFF:#010x}, but they go around "
            "this and end: undefined, unless they returned before they could come here"
        )
    elif kind == F_SOURCE_LANE:
        code = "SAF608"
        message = f"{who} reads lane {address}, which is not active here (active lanes {extra & 0xFFFFFFFF:#010x})"
        message += ": the value is undefined, which is harmless only if nothing uses it"
        warning = True
    elif kind == F_SOURCE_UNNAMED:
        code = "SAF608"
        message = f"{who} reads lane {address}, which its own mask {extra & 0xFFFFFFFF:#010x} does not name"
        message += ": the value is undefined, which is harmless only if nothing uses it"
        warning = True
    elif kind == F_WIDTH:
        code = "SAF608"
        message = f"{who} shuffles with a width of {_width(address)}; a width is 1, 2, 4, 8, 16 or 32"
    elif kind == F_BARRIER_PASSED:
        code = "SAF609"
        message = f"{who} ends without coming to this barrier; {extra} threads wait there"
    elif kind == F_BARRIER_COUNT:
        code = "SAF609"
        message = f"{who} comes to this barrier with a count of {extra} threads, but {address} are counted or expected"
    elif kind == F_BARRIER_MIXED:
        code = "SAF609"
        message = f"{who} waits at this barrier while other threads of the block wait at another one"
        related = ((other, "the other barrier"),)
    else:
        assert kind == F_EARLY_EXIT, kind
        code, warning = "SAF610", True
        message = (
            f"block {unravel(block, reader.grid)}: some threads return before this barrier; {extra} threads reach it"
        )
    place, inlined = reader.chain(index)
    return Fault(
        code, place, message, unravel(block, reader.grid), reader.thread(thread),
        tuple((reader.place(i), word) for i, word in related), int(row[FAULT["COUNT"]]), warning, inlined,
        tuple(reader.calls(i, inlined) for i, _ in related),
    )  # fmt: skip


def stray_faults(prepared: Prepared, memory: GlobalMemory, outcome: Outcome, files: Container[str]) -> list[Fault]:
    """Writes between the elements of a tensor: one finding per line, the lowest address speaks."""
    reader = _Reader(prepared, memory, outcome.grid, outcome.block, files)
    found = []
    for byte, word, index in sorted(outcome.strays):
        block, thread = (word >> BLOCK_SHIFT) - 1, (word >> THREAD_SHIFT) & 1023
        where = reader.where(ARENA_BASE + byte, GLOBAL_SPACE, index)
        message = f"{reader.who(block, thread)} writes {where}: in bounds, but no element of the tensor lies there"
        found.append(Fault("SAF603", reader.place(index), message, unravel(block, outcome.grid), reader.thread(thread)))
    return _by_line(found)


def _width(control: int) -> int:
    """The width behind a shuffle's third operand, which has 32 - width from bit 8 on."""
    split = (control & 0xFFFFFFFF) >> 8
    return LANES - (split - (1 << 24) if split >= 1 << 23 else split)


_RACES = {
    F_RACE_RAW: ("reads", "wrote", "the write"),
    F_RACE_WAR: ("writes", "read", "the read"),
    F_RACE_WAW: ("writes", "wrote another value", "the other write"),
}


def _race(reader: _Reader, row: NDArray[np.int64], kind: int, index: int, other: int) -> tuple[str, str, _Related]:
    block, thread = int(row[FAULT["BLOCK"]]), int(row[FAULT["THREAD"]])
    space = int(row[FAULT["EXTRA"]])
    now, before, word = _RACES[kind]
    code = "SAF602" if space == GLOBAL_SPACE else "SAF601"
    o_block, o_thread = int(row[FAULT["OBLOCK"]]), int(row[FAULT["OTHREAD"]])
    where = reader.where(int(row[FAULT["ADDRESS"]]), space, index)
    placed = other != UNKNOWN_PLACE
    partner = reader.who(o_block, o_thread) if o_block != block else f"thread {reader.thread(o_thread)}"
    if not placed and o_block != block:
        partner = f"a thread of block {unravel(o_block, reader.grid)}"
    elif not placed and o_thread // LANES != thread // LANES:
        partner = f"a thread of warp {o_thread // LANES}"
    if o_block == block and o_thread // LANES == thread // LANES:
        missing = "nothing orders the two lanes"
    elif o_block == block:
        missing = "no barrier orders the two"
    else:
        missing = "nothing orders the two blocks"
    if placed and reader.copies(other):
        before, word = "copied to asynchronously", "the copy"
        if o_block == block:
            missing = f"{missing} after the copy's wait"
    if reader.copies(index):
        now = "copies to"
    message = f"{reader.who(block, thread)} {now} {where}, which {partner} {before}; {missing}"
    return code, message, ((other, word),) if placed else ()


def _too_early(reader: _Reader, row: NDArray[np.int64], index: int, other: int) -> tuple[str, str, _Related]:
    """An access to bytes that an asynchronous copy is on its way to."""
    block, thread, issuer = (int(row[FAULT[name]]) for name in ("BLOCK", "THREAD", "OTHREAD"))
    where = reader.where(int(row[FAULT["ADDRESS"]]), SHARED_SPACE, index)
    who = "the same thread" if issuer == thread else f"thread {reader.thread(issuer)}"
    extra = int(row[FAULT["EXTRA"]])
    waited, kept, most = (extra >> 32) - 1, extra >> 20 & 0xFFF, extra & 0xFFFF
    related = [(other, "the copy")]
    if extra & PENDING_BOUND:
        missing = "nothing has waited for the mbarrier phase that it belongs to"
    elif not extra & PENDING_COMMITTED:
        missing = "no commit_group or wait_all follows the copy"
    elif waited < 0:
        missing = f"no wait for it has come: right before this, wait_group {most} would do"
    else:
        missing = f"the last wait lets {kept} group{'s' * (kept != 1)} go on: it must let at most {most}"
        related.append((waited, "the last wait"))
    message = f"{reader.who(block, thread)} {reader.verb(index)} {where}, while a copy by {who} is on its way there"
    return "SAF615", f"{message}; {missing}", tuple(related)


# -- launches that stop early ------------------------------------------------------------------------------------
def stop_fault(
    prepared: Prepared, memory: GlobalMemory, outcome: Outcome, files: Container[str]
) -> tuple[list[Fault], str]:
    """Findings for a launch that could not go on, and the reason in words."""
    stop = outcome.stop
    assert stop is not None
    where = unravel(stop.number, outcome.grid)
    if stop.reason == "stopped":
        return _stopped(prepared, memory, outcome, files)
    spots = _waiting(prepared, stop.slot, files)
    code = {"deadlock": "SAF611"}.get(stop.reason, "SAF612")
    verb = {
        "deadlock": "no warp of the block can go on: lanes wait here for others that never come",
        "no progress": "the block makes no progress here: what it waits for never changes",
        "too long": "the block runs on here, and no block has ended and no barrier completed for the time allowed",
        "budget": "the time budget ended here",
    }[stop.reason]
    reason = f"{stop.reason} in block {where}"
    if stop.reason == "budget":
        return [], reason
    first = spots[0] if spots else (Location("", 0), 0)
    related = tuple((place, "other lanes are here") for place, _ in spots[1:4] if place.line and place != first[0])
    if code == "SAF612" and (back := _loop_end(prepared, stop.slot)) is not None:
        place = ptx.locate(prepared.module, back, files)[0]
        related += ((place, "the loop goes round here"),) if place.line and place != first[0] else ()
    message = f"block {where}: {verb}"
    return [Fault(code, first[0], message, where, unravel(first[1], outcome.block), related)], reason


def _loop_end(prepared: Prepared, slot: BlockSlot) -> ptx.Instruction | None:
    """The backward branch of the innermost loop around the first lanes that still run or wait; None outside loops."""
    blocks = prepared.kernel.blocks
    at = _first_block(prepared, slot)
    loops = [(b.index - s, b) for b in blocks for s in b.successors if 0 <= s <= at <= b.index]
    return min(loops, key=lambda loop: loop[0])[1].instructions[-1] if loops else None


def _first_block(prepared: Prepared, slot: BlockSlot) -> int:
    """The lowest basic block in which lanes of the block are pending, or behind whose end they wait; -1 for none."""
    count = len(prepared.kernel.blocks)
    _, masks_at, wake_at, _, _ = header_layout(prepared.kernel)
    found = [
        int(block) - rank
        for state in slot.states.reshape(-1, prepared.state_bytes)
        if int(state[8 * WARP["ALIVE"] :][:8].view(np.int64)[0])
        for rank, at in ((0, masks_at), (1, wake_at))
        for block in np.flatnonzero(state[at : at + 4 * count].view(np.uint32))
    ]
    return min(found, default=-1)


def _stopped(
    prepared: Prepared, memory: GlobalMemory, outcome: Outcome, files: Container[str]
) -> tuple[list[Fault], str]:
    assert outcome.stop is not None
    ctx = next(w.ctx for w in outcome.workers if w.ctx[CTX["STOP"]])
    index = int(ctx[CTX["STOP_INS"]])
    i = prepared.kernel.instructions[index]
    code = int(ctx[CTX["STOP"]])
    if code == STOP_UNSUPPORTED:
        return [], f"unsupported instruction: {i.text} ({prepared.unsupported.get(index, '')})"
    mask = int(ctx[CTX["STOP_MASK"]]) & 0xFFFFFFFF
    linear = int(ctx[CTX["STOP_WARP"]]) * LANES + (mask & -mask).bit_length() - 1
    where, thread = unravel(outcome.stop.number, outcome.grid), unravel(linear, outcome.block)
    place, inlined = ptx.locate(prepared.module, i, files)
    who = f"block {where}, thread {thread}"

    def finding(words: str) -> list[Fault]:
        return [Fault("SAF613", place, f"{who}{words}", where, thread, inlined=inlined)]

    if code == STOP_ASSERT:
        lane = LaneMemory(outcome.stop.slot, linear, prepared.local_bytes, memory.arena)
        claim = lane.text(lane.word(prepared.local["(argument 0)"]))
        return finding(f": assertion '{claim}' failed"), "assertion"
    if code == STOP_STACK:
        return finding(": the recursion is too deep for its stack"), "stack"
    return finding(" executes a trap"), "trap"


def _waiting(prepared: Prepared, slot: BlockSlot, files: Container[str]) -> list[tuple[Location, int]]:
    """Where the block's lanes stand: pending basic blocks first, then barriers; each with a thread.

    Places without a source line, such as what the compiler put before a loop, come after all that have one.
    """
    count = len(prepared.kernel.blocks)
    _, masks_at, wake_at, _, _ = header_layout(prepared.kernel)
    spots: dict[tuple[int, Location], int] = {}
    states = slot.states.reshape(-1, prepared.state_bytes)
    for warp, state in enumerate(states):
        if int(state[8 * WARP["ALIVE"] :][:8].view(np.int64)[0]) == 0:
            continue
        for rank, at in ((0, masks_at), (1, wake_at)):
            masks = state[at : at + 4 * (count + 1)].view(np.uint32)
            for block in np.flatnonzero(masks):
                # Lanes that wait at a barrier resume at the block behind it.
                home = prepared.kernel.blocks[max(int(block) - rank, 0) if rank else min(int(block), count - 1)]
                i = home.instructions[-1 if rank else 0]
                place = ptx.locate(prepared.module, i, files)[0]
                lane = (int(masks[block]) & -int(masks[block])).bit_length() - 1
                spots.setdefault((rank, place), warp * LANES + lane)
    return [
        (place, thread) for (_, place), thread in sorted(spots.items(), key=lambda s: (not s[0][1].line, s[0][0], s[1]))
    ]
