"""Release and acquire across blocks: what atomics and strong accesses on one address hand on.

Every address through which something was released holds a clock: per block and warp, up to which epoch its accesses
happen before an acquire. A fence makes a warp's view releasable; its next atomic or strong store publishes it; an
atomic or strong load that comes later takes it over. Within the block the same exchange orders warps.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .layout import BLK, CALL_ACQUIRE, CALL_RELEASE, CTX, MAX_WARPS
from .slots import BlockSlot, address

_CALLBACK = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)


class Bookkeeper:
    """Keeps the clocks of one launch; generated code calls `pointer`."""

    def __init__(self, ctx: NDArray[np.int64], slots: Sequence[BlockSlot], blocks: int, warps: int) -> None:
        self.ctx, self.slots, self.size, self.warps = ctx, slots, blocks * warps, warps
        self.clocks: dict[int, NDArray[np.int32]] = {}
        self._function = _CALLBACK(self._call)
        self.pointer = int(ctypes.cast(self._function, ctypes.c_void_p).value or 0)

    def _call(self, kind: int, slot: int, warp: int, where: int, released: int) -> None:
        if kind != CALL_RELEASE:
            self._acquire(self.slots[slot], warp, where)
        if kind != CALL_ACQUIRE and released:
            self._release(self.slots[slot], warp, where)
            self._among_lanes(self.slots[slot], warp)

    def _among_lanes(self, slot: BlockSlot, warp: int) -> None:
        """Fence and atomic also order the lanes of the warp that did both (kept per warp, not per lane)."""
        pointer = ctypes.cast(int(slot.record[BLK["LB"]]), ctypes.POINTER(ctypes.c_int32))
        fenced = int(self._rows(slot, "REL")[warp, warp])
        pointer[warp] = max(pointer[warp], fenced)

    def _rows(self, slot: BlockSlot, name: str) -> NDArray[np.int32]:
        """A warps x warps table of the block record."""
        pointer = ctypes.cast(int(slot.record[BLK[name]]), ctypes.POINTER(ctypes.c_int32))
        return np.ctypeslib.as_array(pointer, (MAX_WARPS, MAX_WARPS))

    def _own(self, slot: BlockSlot) -> slice:
        first = int(slot.record[BLK["ID"]]) * self.warps
        return slice(first, first + self.warps)

    def _acquire(self, slot: BlockSlot, warp: int, where: int) -> None:
        clock = self.clocks.get(where)
        if clock is None:
            return
        if slot.record[BLK["ACQ"]] == 0:
            slot.acquired = np.zeros(self.size, np.int32)
            slot.record[BLK["ACQ"]] = address(slot.acquired)
        assert slot.acquired is not None
        np.maximum(slot.acquired, clock, out=slot.acquired)
        mine = self._rows(slot, "VC")[warp, : self.warps]
        np.maximum(mine, clock[self._own(slot)], out=mine)

    def _release(self, slot: BlockSlot, warp: int, where: int) -> None:
        clock = self.clocks.get(where)
        if clock is None:
            clock = self.clocks[where] = np.zeros(self.size, np.int32)
            self.ctx[CTX["NSYNC"]] = len(self.clocks)
        if slot.record[BLK["ACQ"]] != 0 and slot.acquired is not None:
            np.maximum(clock, slot.acquired, out=clock)
        own = clock[self._own(slot)]
        np.maximum(own, self._rows(slot, "REL")[warp, : self.warps], out=own)
