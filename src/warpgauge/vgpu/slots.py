"""Memory of a resident block and of a worker, as NumPy arrays that generated code writes to."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layout import (
    ACTIVITY_ROWS,
    ARRIVALS_AT,
    BAR_BYTES,
    BLK,
    COPIES,
    COPIES_FIRST,
    COPIES_SLOTS,
    COPY_INTS,
    CTX,
    DECISION_SLOTS,
    FAULT_CAPACITY,
    FAULT_SLOTS,
    LANES,
    MAX_WARPS,
    MBARRIER_INTS,
    SITE,
    SITE_SLOTS,
)
from .prepare import Prepared


def aligned(size: int, fill: int = 0) -> NDArray[np.uint8]:
    """`size` bytes, 64-byte aligned."""
    raw = np.full(size + 64, fill, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size]


def address(a: NDArray[Any]) -> int:
    return int(a.ctypes.data)


_SHARED_TABLES = (("SW", 8), ("SR", 8), ("SA", 8), ("SWS", 4), ("SRS", 4), ("SAS", 4), ("SWM", 4), ("SLM", 4))


@dataclass(eq=False)
class BlockSlot:
    """Everything one resident block needs. `record` is BLK."""

    record: NDArray[np.int64]
    arrays: list[NDArray[np.uint8]]
    states: NDArray[np.uint8]
    copies: NDArray[np.int64] | None = None
    logs: dict[int, NDArray[np.int32]] = field(default_factory=dict)
    mbarriers: NDArray[np.int32] | None = None
    acquired: NDArray[np.int32] | None = None
    print: int = -1

    @staticmethod
    def make(prepared: Prepared, warps: int, shared_bytes: int, number: int) -> BlockSlot:
        record = np.zeros(len(BLK), np.int64)
        states = aligned(prepared.state_bytes * warps)
        slot = BlockSlot(record, [states], states)
        slot._set("STATES", states)
        slot._new("SHARED", shared_bytes + 64)
        slot._new("LOCAL", prepared.local_bytes * warps * LANES + 64)
        slot._new("BAR", BAR_BYTES)
        slot._new("PARTED", prepared.parted_bytes * warps)
        record[BLK["SLOT"]] = number
        if prepared.mode == "shadow":
            granules = -(-shared_bytes // (1 << prepared.granule_shift["shared"])) + LANES
            slot._shadow(granules, prepared.copies)
            if prepared.copies:
                slot._start_logs(warps)
            if prepared.mbarriers:
                # (Pages that no mbarrier lies on are never touched.)
                slot.mbarriers = np.zeros((-(-shared_bytes // 8), MBARRIER_INTS), np.int32)
                record[BLK["MBARRIERS"]] = address(slot.mbarriers)
                slot._new("SPOKEN", 8 * MAX_WARPS * MAX_WARPS)
            slot._new("VC", 4 * MAX_WARPS * MAX_WARPS)
            slot._new("LB", 4 * MAX_WARPS)
            slot._new("REL", 4 * MAX_WARPS * MAX_WARPS)
            slot._new("LVC", 4 * LANES * LANES * warps)
        return slot

    @property
    def machine_state(self) -> list[NDArray[np.uint8]]:
        """What decides how the block goes on, shadow state left out: registers, shared and local memory, barriers."""
        states, shared, local, barriers = self.arrays[:4]
        # Behind the barriers lie the times of arrivals, which only ever grow.
        return [states, shared, local, barriers[: 8 * ARRIVALS_AT]]

    def unchanged(self) -> bool:
        """Are the registers of all its warps as they were at the last call?"""
        before, self.print = self.print, zlib.crc32(self.states.data)
        return before == self.print

    def _set(self, name: str, a: NDArray[np.uint8]) -> None:
        self.record[BLK[name]] = address(a)

    def _new(self, name: str, size: int) -> None:
        a = aligned(max(size, 64))
        self.arrays.append(a)
        self._set(name, a)

    def _shadow(self, granules: int, copies: bool) -> None:
        """One area, so that a block's start is one fill."""
        tables = (*_SHARED_TABLES, ("PENDING", 8)) if copies else _SHARED_TABLES
        size = granules * sum(size for _, size in tables)
        area = aligned(size + 64)
        self.arrays.append(area)
        at = address(area)
        for name, each in tables:
            self.record[BLK[name]] = at
            at += granules * each
        self.record[BLK["SHADOW_BYTES"]] = size

    def _start_logs(self, warps: int) -> None:
        self.copies = np.zeros((warps, COPIES_SLOTS), np.int64)
        self.record[BLK["COPIES"]] = address(self.copies)
        for warp in range(warps):
            self.lengthen_log(warp)

    def lengthen_log(self, warp: int) -> None:
        """Room for twice as many copies in flight; those that are there stay. A copy in flight has granules of shared
        memory to itself, so that no log grows for ever."""
        assert self.copies is not None
        old = self.logs.get(warp, np.zeros(0, np.int32))
        log = np.zeros(max(2 * old.size, COPIES_FIRST * COPY_INTS), np.int32)
        log[: old.size] = old
        self.logs[warp] = log
        self.copies[warp, COPIES["CAP"]] = log.size // COPY_INTS
        self.copies[warp, COPIES["ENTRIES"]] = address(log)


class GlobalShadow:
    """Writers and readers of every granule of the arena during one launch."""

    def __init__(self, initialised: NDArray[np.uint8], shift: int, host: int) -> None:
        self.shift = shift
        size = initialised.size >> shift
        defined = initialised[: size << shift].reshape(size, 1 << shift).all(axis=1)
        self.writers = np.zeros(size + LANES, np.int64)
        self.writers[:size][defined] = host
        self.readers = np.zeros(size + LANES, np.int64)
        self.strong = np.zeros(size + LANES, np.int64)
        self.small = [np.zeros(size + LANES, np.int32) for _ in range(6)]

    def attach(self, ctx: NDArray[np.int64]) -> None:
        names = ("GW", "GR", "GA", "GWS", "GRS", "GAS", "GWM", "GLM", "GR2")
        tables: list[NDArray[Any]] = [self.writers, self.readers, self.strong, *self.small]
        for name, table in zip(names, tables, strict=True):
            ctx[CTX[name]] = address(table)

    @property
    def store_sites(self) -> NDArray[np.int32]:
        """The instruction of each granule's last plain writer."""
        return self.small[0]

    @property
    def strong_sites(self) -> NDArray[np.int32]:
        """The instruction of each granule's last atomic or volatile writer."""
        return self.small[2]

    def strays(self, gaps: NDArray[np.bool_], host: int) -> list[tuple[int, int, int]]:
        """(arena byte, shadow word of the writer, its instruction) for each granule with a gap that was written."""
        size = gaps.size >> self.shift
        outside = gaps[: size << self.shift].reshape(size, 1 << self.shift)
        found = []
        for words, instructions in ((self.writers, self.small[0]), (self.strong, self.small[2])):
            for g in np.flatnonzero(outside.any(axis=1) & (words[:size] != 0) & (words[:size] < host)).tolist():
                first = int(np.argmax(outside[g]))
                found.append(((g << self.shift) + first, int(words[g]), int(instructions[g])))
        return found

    def mark_written(self, initialised: NDArray[np.uint8]) -> None:
        """After the launch: bytes that the kernel wrote are defined."""
        size = initialised.size >> self.shift
        view = initialised[: size << self.shift].reshape(size, 1 << self.shift)
        view[(self.writers[:size] | self.strong[:size]) != 0] = 1


class Worker:
    """One thread's context and its tables: sites, blocks (of full and of partial warps), decisions, faults."""

    def __init__(self, prepared: Prepared, fields: Mapping[str, int], widths: NDArray[np.int64]) -> None:
        self.ctx = np.zeros(len(CTX), np.int64)
        self.sites = np.zeros(max(1, len(prepared.sites)) * SITE_SLOTS, np.int64)
        rows = self.sites.reshape(-1, SITE_SLOTS)
        if prepared.sites:
            rows[:, [SITE["WIDTH"], SITE["DELTA"], SITE["COUNTED"], SITE["KIND"]]] = widths
        self.activity = np.zeros((2, ACTIVITY_ROWS, len(prepared.kernel.blocks)), np.int64)
        self.decisions = np.zeros((max(1, len(prepared.decisions)), DECISION_SLOTS), np.int64)
        self.faults = np.zeros((FAULT_CAPACITY + 1) * FAULT_SLOTS, np.int64)
        for name, value in fields.items():
            self.ctx[CTX[name]] = value
        self.ctx[CTX["SITES"]] = address(self.sites)
        self.ctx[CTX["FAULTS"]] = address(self.faults)
        self.ctx[CTX["ACTIVITY"]] = address(self.activity)
        self.ctx[CTX["DECISIONS"]] = address(self.decisions)
