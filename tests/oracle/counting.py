"""What requests cost: 32-byte sectors of global memory, wavefronts and conflicts of shared memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from warpgauge.evidence import Counters

from .divergence import DivergenceTally

SECTOR = 32
BANKS = 32
Lanes = tuple[int | None, ...]  # byte addresses, None where inactive


@dataclass
class AccessCount:
    """Sums over the requests of one instruction in one space. `width` is bytes per lane."""

    space: str
    op: str
    width: int
    requests: int = 0
    lanes: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    wavefronts: int = 0
    conflicts: int = 0


@lru_cache(maxsize=4096)
def sectors(lanes: Lanes, width: int) -> int:
    """Distinct aligned 32-byte segments under the active lanes' bytes."""
    touched: set[int] = set()
    for address in lanes:
        if address is not None:
            touched.update(range(address // SECTOR, (address + width - 1) // SECTOR + 1))
    return len(touched)


def sectors_past_l1(lanes: Lanes, targets: Lanes) -> int:
    """What copies past the L1 cache fetch: per quarter-warp, each 128-byte line once for each 32-byte piece of shared
    memory that it goes to."""
    pairs = {
        (lane // 8, address // 128, target // SECTOR)
        for lane, (address, target) in enumerate(zip(lanes, targets, strict=True))
        if address is not None and target is not None
    }
    return len(pairs)


def _pairs_agree(lanes: Lanes, distance: int) -> bool:
    pairs = ((lanes[n], lanes[n ^ distance]) for n in range(32))
    return all(x is None or y is None or x == y for x, y in pairs)


@lru_cache(maxsize=4096)
def wavefronts(lanes: Lanes, width: int, op: str) -> tuple[int, int]:
    """(wavefronts, conflicts): passes over the banks, and those beyond one per non-empty group of lanes.

    `op` is load, store, rows (ldmatrix), merging (atomic add of one), atomic (the other atomics) or compare (cas).
    """
    if op == "atomic":
        return _one_after_another(lanes), _one_after_another(lanes) - 1
    if op == "compare":
        return 2 * _one_after_another(lanes), _one_after_another(lanes) - 1
    groups = max(1, width // 4)
    if groups > 1 and op == "load" and (_pairs_agree(lanes, 1) or _pairs_agree(lanes, 2)):
        groups //= 2
    size = 32 // groups
    total = filled = 0
    for start in range(0, 32, size):
        words = {
            word
            for address in lanes[start : start + size]
            if address is not None
            for word in range(address // 4, (address + width - 1) // 4 + 1)
        }
        if words:
            banks = [word % BANKS for word in words]
            total += max(banks.count(bank) for bank in set(banks))
            filled += 1
    return total, total - filled


def _one_after_another(lanes: Lanes) -> int:
    """Most active lanes that want one bank: an ordinary atomic serves them singly, same word or not."""
    banks = [address // 4 % BANKS for address in lanes if address is not None]
    return max((banks.count(bank) for bank in set(banks)), default=0)


def _by_lane(active: np.ndarray, addresses: np.ndarray) -> Lanes:
    places: list[int | None] = [None] * 32
    for lane, address in zip(active.tolist(), addresses.tolist(), strict=True):
        places[lane] = address
    return tuple(places)


@dataclass
class Tally:
    """Counts by (PTX line, space), and the executed thread instructions."""

    divergence: DivergenceTally = field(default_factory=DivergenceTally)
    accesses: dict[tuple[int, str], AccessCount] = field(default_factory=dict)
    thread_instructions: int = 0

    def record(
        self, line: int, space: str, op: str, width: int, active: np.ndarray, addresses: np.ndarray, rule: str = "",
        past_l1_to: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """One request of the lanes numbered in `active`, each with its address. `rule`: see wavefronts, else `op`.
        `past_l1_to`: where in shared memory a copy past the L1 cache goes."""
        row = self.accesses.setdefault((line, space), AccessCount(space, op, width))
        lanes = _by_lane(active, addresses)
        row.requests += 1
        row.lanes += len(active)
        if space == "global":
            touched = sectors(lanes, width)
            if past_l1_to is not None:
                touched = sectors_past_l1(lanes, _by_lane(active, past_l1_to))
            row.sectors += touched
            row.ideal_sectors += min(touched, -(-len(active) * width // SECTOR))
        elif space == "shared":
            passes, conflicts = wavefronts(lanes, width, rule or op)
            row.wavefronts += passes
            row.conflicts += conflicts

    def at(self, line: int) -> AccessCount:
        """The only count of a PTX line."""
        (found,) = [row for (at, _), row in self.accesses.items() if at == line]
        return found

    def totals(self) -> Counters:
        """Launch totals under the names that hardware readings have; atomics on global memory have no name there."""
        sums: dict[str, int] = {}
        names = {"global": ("requests", "sectors"), "shared": ("wavefronts", "conflicts")}
        for row in self.accesses.values():
            for what in names.get(row.space, ()):
                name = f"{row.space}_{row.op}_{what}"
                sums[name] = sums.get(name, 0) + getattr(row, what)
        known = Counters.__dataclass_fields__
        return Counters(**{name: value for name, value in sums.items() if name in known})
