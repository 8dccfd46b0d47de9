"""Which blocks run when: one after another while they end by themselves, several at once when one waits for another."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .layout import BLK, CTX, DEADLOCK, DONE, STOPPED
from .prepare import Prepared
from .slots import BlockSlot, Worker, address

if TYPE_CHECKING:
    from .launch import Budget


@dataclass(frozen=True)
class Resident:
    """Why a launch stopped early: `reason` is deadlock, no progress, budget, or stopped (see CTX[STOP]).

    `slot` and `number` are the block that was running; `done` how many blocks had ended.
    """

    reason: str
    slot: BlockSlot
    number: int
    done: int
    waiting: tuple[BlockSlot, ...] = ()


class _Clock:
    """Wall time since something moved: a block ended, a barrier completed, memory or registers changed."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.start = self.moved = time.monotonic()

    def expired(self) -> str | None:
        now = time.monotonic()
        if self.budget.seconds is not None and now - self.start > self.budget.seconds:
            return "budget"
        return "no progress" if now - self.moved > self.budget.no_progress_seconds else None


def run_blocks(
    prepared: Prepared, worker: Worker, first: int, last: int, make_slot: Callable[[], BlockSlot], budget: Budget
) -> Resident | None:
    """Run blocks first..last-1 in order. Returns None at the end, or why and where it stopped."""
    ctx = address(worker.ctx)
    slot = make_slot()
    clock = _Clock(budget)
    number = first
    spare: list[BlockSlot] = []
    while number < last:
        result = prepared.functions["run_range"](ctx, address(slot.record), number, last)
        code, number = result >> 32, result & 0xFFFFFFFF
        if code == DONE:
            return None
        if code == STOPPED:
            return Resident("stopped", slot, number, number - first)
        resident = [slot]
        stop, number = _together(prepared, worker, resident, spare, (number, last), make_slot, clock)
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
) -> tuple[Resident | None, int]:
    """Step a growing set of resident blocks in turn until all have ended.

    A block joins whenever every resident one has used up its slice without a barrier completing. When the set cannot
    grow and no state changes any more, or nothing moves for the budgeted time, the launch is stuck.
    """
    started, last = bounds
    ctx = address(worker.ctx)
    following = started + 1
    done = started
    previous = -1
    while resident:
        moved = False
        stuck = True
        for slot in list(resident):
            before = int(slot.record[BLK["PROGRESS"]])
            code = prepared.functions["block_step"](ctx, address(slot.record))
            if code == STOPPED:
                return Resident("stopped", slot, int(slot.record[BLK["ID"]]), done, tuple(resident)), following
            if code == DONE:
                resident.remove(slot)
                spare.append(slot)
                done += 1
                moved = True
            elif code != DEADLOCK:
                stuck = False
            moved |= int(slot.record[BLK["PROGRESS"]]) != before
        if moved:
            clock.moved = time.monotonic()
            previous = -1
            continue
        if not resident:
            break
        if following < last and len(resident) < clock.budget.resident_blocks:
            slot = spare.pop() if spare else make_slot()
            prepared.functions["block_init"](ctx, address(slot.record), following)
            resident.append(slot)
            following += 1
            continue
        reason = "deadlock" if stuck else clock.expired()
        state = _fingerprint(worker, resident)
        if state == previous and not stuck:
            reason = "no progress"
        previous = state
        if reason:
            worst = resident[0]
            return Resident(reason, worst, int(worst.record[BLK["ID"]]), done, tuple(resident)), following
    return None, following


def _fingerprint(worker: Worker, resident: list[BlockSlot]) -> int:
    """Registers of all resident warps and the number of stores so far: equal twice means nothing can ever change."""
    value = int(worker.ctx[CTX["STORES"]]) & 0xFFFFFFFF
    for slot in resident:
        value = zlib.crc32(slot.states.data, value)
    return value
