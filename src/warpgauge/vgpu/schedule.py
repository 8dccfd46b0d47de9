"""Which blocks run when: one after another while they end by themselves, several at once when one waits for another."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .budget import Budget
from .cycle import Cycle
from .emit import reads_clock
from .layout import BLK, CTX, DEADLOCK, DONE, STOPPED
from .prepare import Prepared
from .slots import BlockSlot, Worker, address

#: Back edges that a warp may take before others run; the least when many blocks share; rounds before a block joins.
FUEL, MIN_FUEL, PATIENCE_ROUNDS = 1 << 12, 1 << 8, 4096
CHUNK = 256


@dataclass(frozen=True)
class Resident:
    """Why a launch stopped early: `reason` is deadlock, no progress, too long, budget, or stopped (see CTX[STOP]).

    `slot` and `number` are the block that was running; `done` how many blocks had ended.
    """

    reason: str
    slot: BlockSlot
    number: int
    done: int
    waiting: tuple[BlockSlot, ...] = ()

    @property
    def timed(self) -> bool:
        """Whether wall time decided when it stopped, so that how often it did something says nothing."""
        return self.reason in ("no progress", "too long", "budget")


class _Clock:
    """Wall time since something moved: a block ended, a barrier completed, memory or registers changed."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.start = self.moved = time.monotonic()

    def expired(self) -> str | None:
        now = time.monotonic()
        if self.budget.seconds is not None and now - self.start > self.budget.seconds:
            return "budget"
        return "too long" if now - self.moved > self.budget.no_progress_seconds else None


def run_blocks(
    prepared: Prepared,
    worker: Worker,
    first: int,
    last: int,
    make_slot: Callable[[], BlockSlot],
    budget: Budget,
    order: NDArray[np.int64] | None,
    alone: NDArray[np.uint8] | None,
) -> Resident | None:
    """Run the blocks at places first..last-1 of `order` (None: of the grid) in turn.

    `alone` is global memory if no other worker writes to it. Returns None at the end, or why and where it stopped.
    """
    ctx = address(worker.ctx)
    cycle = None if alone is None or reads_clock(prepared.kernel) else Cycle(alone)
    slot = make_slot()
    clock = _Clock(budget)
    place = first
    spare: list[BlockSlot] = []
    while place < last:
        # In chunks, so that a launch without end can be cut off between them.
        result = prepared.functions["run_range"](ctx, address(slot.record), place, min(place + CHUNK, last))
        code, place = result >> 60, result & ((1 << 60) - 1)
        if code == DONE:
            clock.moved = time.monotonic()
            if clock.expired():
                return Resident("budget", slot, _running(slot), place - first)
            continue
        if code == STOPPED:
            return Resident("stopped", slot, _running(slot), place - first)
        resident = [slot]
        stop, place = _together(prepared, worker, resident, spare, (place, last), make_slot, clock, order, cycle)
        if stop is not None:
            return stop
        slot = resident[0] if resident else spare.pop()
    return None


def _together(
    prepared: Prepared,
    worker: Worker,
    resident: list[BlockSlot],
    spare: list[BlockSlot],
    bounds: tuple[int, int],
    make_slot: Callable[[], BlockSlot],
    clock: _Clock,
    order: NDArray[np.int64] | None,
    cycle: Cycle | None,
) -> tuple[Resident | None, int]:
    """Step a growing set of resident blocks in turn until all have ended.

    The set grows when every resident block spins (its registers are as they were a slice ago), waits, has used many
    slices, or all of its state comes back. When it cannot grow and nothing changes any more, not even memory, or its
    state comes back, or nothing moves for the budgeted time, the launch is stuck.
    """
    started, last = bounds
    ctx = address(worker.ctx)
    following, done, rounds, previous = started + 1, started, 0, -1
    while resident:
        worker.ctx[CTX["FUEL"]] = max(MIN_FUEL, FUEL // len(resident))
        moved, stuck, idle, stores = False, True, True, _stores(worker)
        for slot in list(resident):
            before = int(slot.record[BLK["PROGRESS"]])
            code = prepared.functions["block_step"](ctx, address(slot.record))
            if code == STOPPED:
                return Resident("stopped", slot, _running(slot), done, tuple(resident)), following
            if code == DONE:
                resident.remove(slot)
                spare.append(slot)
                done += 1
                moved = True
                continue
            still = slot.unchanged()
            stuck &= code == DEADLOCK
            # A barrier that completes is progress, unless registers and memory are as they were: an empty loop of them.
            moved |= int(slot.record[BLK["PROGRESS"]]) != before and not (still and stores == _stores(worker))
            idle &= still or code == DEADLOCK
            if clock.expired() and not moved:
                break
        rounds = 0 if moved else rounds + 1
        if moved:
            clock.moved = time.monotonic()
            previous = -1
        reason = clock.expired()
        closed = reason is None and cycle is not None and bool(resident) and cycle.closed(resident, done)
        if reason is None and (idle or stuck or closed or rounds >= PATIENCE_ROUNDS):
            room = min(len(resident), clock.budget.resident_blocks - len(resident), last - following)
            for _ in range(max(room, 0)):
                slot = spare.pop() if spare else make_slot()
                number = following if order is None else int(order[following])
                prepared.functions["block_init"](ctx, address(slot.record), number)
                resident.append(slot)
                following += 1
            if room > 0:
                rounds, previous = 0, -1
                continue
            state = _fingerprint(worker, resident)
            if resident and (closed or not moved):
                reason = "deadlock" if stuck else "no progress" if closed or state == previous else None
            previous = state
        if reason and resident:
            worst = resident[0]
            return Resident(reason, worst, _running(worst), done, tuple(resident)), following
    worker.ctx[CTX["FUEL"]] = FUEL
    return None, following


def _running(slot: BlockSlot) -> int:
    """The number of the block in a slot: the one that runs there, or ran last."""
    return int(slot.record[BLK["ID"]])


def _stores(worker: Worker) -> int:
    return int(worker.ctx[CTX["STORES"]])


def _fingerprint(worker: Worker, resident: list[BlockSlot]) -> int:
    """Registers of all resident warps and the number of stores so far: equal twice means nothing can ever change."""
    value = _stores(worker) & 0xFFFFFFFF
    for slot in resident:
        value = zlib.crc32(slot.states.data, value)
    return value
