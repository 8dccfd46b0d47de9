"""The requests that a block makes on a tile, and what they cost under a layout.

One rule costs them, that of `arch.bank_cost`; where a request lies in the banks depends on its addresses modulo 128
bytes alone, so requests of one shape are costed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from warpgauge.arch import WAVEFRONT_BYTES, BankCost, avoidable, bank_cost

from .layout import Layout

Kind = Literal["load", "store", "copy", "matrix"]
#: A request by lane: row and byte within the row at which the lane's access begins, None for an inactive lane.
Lanes = tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True)
class Access:
    """Everything that one instruction of a kernel does with the tile.

    `word` is what the user calls it. A "matrix" is an ldmatrix, whose lanes supply row addresses of 16 bytes, a
    "copy" the write of a cp.async.
    `bytes_per_lane` are contiguous within a row.
    """

    word: str
    kind: Kind
    bytes_per_lane: int
    requests: tuple[Lanes, ...]

    @property
    def op(self) -> str:
        return "store" if self.kind in ("store", "copy") else "load"

    @cached_property
    def shapes(self) -> tuple[tuple[Lanes, int], ...]:
        """The distinct requests, each with how often it is made."""
        return tuple(Counter(self.requests).items())


@dataclass(frozen=True)
class Cost:
    """All requests of one access: `conflicts` as the hardware counts them, `avoidable` those that a layout saves."""

    requests: int
    wavefronts: int
    conflicts: int
    avoidable: int

    @property
    def least(self) -> int:
        return self.wavefronts - self.avoidable


@lru_cache(maxsize=1 << 16)
def _priced(addresses: tuple[int | None, ...], bytes_per_lane: int, merge_pairs: bool) -> BankCost:
    return bank_cost(addresses, bytes_per_lane, merge_pairs=merge_pairs)


def _request(access: Access, layout: Layout, lanes: Lanes) -> tuple[BankCost, int]:
    """What one request costs, and how much of that could be avoided."""
    addresses = [None if at is None else layout.address(*at) for at in lanes]
    active = [a for a in addresses if a is not None]
    origin = min(active, default=0) // WAVEFRONT_BYTES * WAVEFRONT_BYTES
    relative = tuple(None if a is None else a - origin for a in addresses)
    cost = _priced(relative, access.bytes_per_lane, access.kind == "load")
    return cost, avoidable(cost.wavefronts, cost.conflicts, len(active), access.bytes_per_lane)


def cost(access: Access, layout: Layout) -> Cost:
    """What all of an access's requests cost under a layout, by the wavefront rule."""
    requests = wavefronts = conflicts = excess = 0
    for lanes, times in access.shapes:
        priced, saved = _request(access, layout, lanes)
        requests += times
        wavefronts += times * priced.wavefronts
        conflicts += times * priced.conflicts
        excess += times * saved
    return Cost(requests, wavefronts, conflicts, excess)


def free(accesses: Iterable[Access], layout: Layout) -> bool:
    """Whether no request of any access has a conflict in the hardware's count."""
    return not any(_request(access, layout, lanes)[0].conflicts for access in accesses for lanes, _ in access.shapes)
