"""Release and acquire across blocks: what atomics and strong accesses on one address hand on.

Every address through which something was released holds a clock: per block and warp, up to which epoch its accesses
happen before an acquire. A fence makes a warp's view releasable; its next atomic or strong store publishes it; an
atomic or strong load that comes later takes it over. Within the block the same exchange orders warps.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .layout import BLK, CALL_ACQUIRE, CALL_LONGER_LOG, CALL_RELEASE, CTX, MAX_WARPS
from .slots import BlockSlot, address

_CALLBACK = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)


class Bookkeeper:
    """Keeps the clocks of one launch; generated code calls `pointer`."""

    def __init__(self, ctx: NDArray[np.int64], slots: Sequence[BlockSlot], blocks: int, warps: int) -> None:
        self.ctx, self.slots, self.size, self.warps = ctx, slots, blocks * warps, warps
        self.clocks: dict[int, NDArray[np.int32]] = {}
        self.versions: dict[int, int] = {}
        self.views: dict[int, _Views] = {}
        self.seen: dict[tuple[int, int, int], tuple[int, ...]] = {}
        self._function = _CALLBACK(self._call)
        self.pointer = int(ctypes.cast(self._function, ctypes.c_void_p).value or 0)

    def _call(self, kind: int, number: int, warp: int, where: int, released: int) -> None:
        slot = self.slots[number]
        if kind == CALL_LONGER_LOG:
            slot.lengthen_log(warp)
            return
        views = self._views(slot, number)
        clock = self.clocks.get(where)
        # A lock is asked again and again while nobody moves: then there is nothing new to take over or to hand on.
        state = (int(slot.record[BLK["ID"]]), self.versions.get(where, 0), int(views.released[warp, warp]), kind)
        if self.seen.get((number, warp, where)) == state:
            return
        if where >> 62 & 1:
            self._within_block(
                views, warp, where, acquires=kind != CALL_RELEASE, releases=kind != CALL_ACQUIRE and bool(released)
            )
        else:
            if kind != CALL_RELEASE and clock is not None:
                self._acquire(slot, views, warp, clock)
            if kind != CALL_ACQUIRE and released:
                self._release(slot, views, warp, where)
        state = (state[0], self.versions.get(where, 0), *state[2:])
        self.seen[number, warp, where] = state

    def _within_block(self, views: _Views, warp: int, where: int, *, acquires: bool, releases: bool) -> None:
        """Flags and locks in shared memory: the clock holds this block's warps only."""
        clock = self.clocks.get(where)
        if acquires and clock is not None:
            np.maximum(views.clocks[warp, : self.warps], clock, out=views.clocks[warp, : self.warps])
            views.lanes[warp] = max(views.lanes[warp], clock[warp])
        if releases:
            if clock is None:
                clock = self.clocks[where] = np.zeros(self.warps, np.int32)
                self.ctx[CTX["NSYNC"]] = len(self.clocks)
            self._raise(where, clock, views.released[warp, : self.warps])

    def _raise(self, where: int, clock: NDArray[np.int32], to: NDArray[np.int32]) -> None:
        """Raise a clock; waiters ask again only where that changed it."""
        if np.any(clock < to):
            np.maximum(clock, to, out=clock)
            self.versions[where] = self.versions.get(where, 0) + 1
            self.ctx[CTX["SYNC_VERSION"]] += 1

    def _views(self, slot: BlockSlot, number: int) -> _Views:
        if number not in self.views:
            self.views[number] = _Views(*(_table(slot, name, shape) for name, shape in _TABLES))
        return self.views[number]

    def _own(self, slot: BlockSlot) -> slice:
        first = int(slot.record[BLK["ID"]]) * self.warps
        return slice(first, first + self.warps)

    def _acquire(self, slot: BlockSlot, views: _Views, warp: int, clock: NDArray[np.int32]) -> None:
        if slot.record[BLK["ACQ"]] == 0:
            slot.acquired = np.zeros(self.size, np.int32)
            slot.record[BLK["ACQ"]] = address(slot.acquired)
        assert slot.acquired is not None
        np.maximum(slot.acquired, clock, out=slot.acquired)
        mine = views.clocks[warp, : self.warps]
        np.maximum(mine, clock[self._own(slot)], out=mine)

    def _release(self, slot: BlockSlot, views: _Views, warp: int, where: int) -> None:
        clock = self.clocks.get(where)
        if clock is None:
            clock = self.clocks[where] = np.zeros(self.size, np.int32)
            self.ctx[CTX["NSYNC"]] = len(self.clocks)
        if slot.record[BLK["ACQ"]] != 0 and slot.acquired is not None:
            self._raise(where, clock, slot.acquired)
        self._raise(where, clock[self._own(slot)], views.released[warp, : self.warps])
        # Fence and atomic also order the lanes of the warp that did both (kept per warp, not per lane).
        views.lanes[warp] = max(views.lanes[warp], views.released[warp, warp])


@dataclass(frozen=True)
class _Views:
    """A block's clocks: what each warp has seen of each, what its fences cover, up to where its lanes are in order."""

    clocks: NDArray[np.int32]
    released: NDArray[np.int32]
    lanes: NDArray[np.int32]


_SQUARE = (MAX_WARPS, MAX_WARPS)
_TABLES: tuple[tuple[str, tuple[int, ...]], ...] = (("VC", _SQUARE), ("REL", _SQUARE), ("LB", (MAX_WARPS,)))


def _table(slot: BlockSlot, name: str, shape: tuple[int, ...]) -> NDArray[np.int32]:
    """A table of the block record as an array; the slot keeps its memory alive."""
    pointer = ctypes.cast(int(slot.record[BLK[name]]), ctypes.POINTER(ctypes.c_int32))
    return np.ctypeslib.as_array(pointer, shape)
