"""What memory accesses cost: counts per site and per launch."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from .location import Location
from .provenance import Provenance

Space = Literal["global", "shared", "local", "const"]
AccessOp = Literal["load", "store", "atomic"]


@dataclass(frozen=True)
class WorstRequest:
    """The most wasteful request of a site.

    `lanes[i]` is the byte address that lane i asked for, None where the lane was inactive: for global
    memory the offset within `buffer`, for shared memory the offset within the block's shared memory. There `buffer` is
    the array's name in the source, and `extent` its first byte and its size in bytes; dynamic shared memory is one
    array of unknown size, whatever is carved from it.
    """

    block: tuple[int, int, int]
    warp: int
    lanes: tuple[int | None, ...]
    buffer: str
    sectors: int
    wavefronts: int
    extent: tuple[int, int] | None = None


@dataclass(frozen=True)
class Site:
    """One access instruction at one source line, summed over every request of the launch.

    `location` is the innermost line in a user's file; `inlined` the chain of helpers and call sites around
    it, innermost first. `bytes_per_lane` is the width that the SASS uses (a fused PTX load counts once, wide).
    `sectors` and `ideal_sectors` are 32-byte sectors (global); `wavefronts` and `conflicts` shared memory only.
    `requests` counts warp-level instructions with at least one active lane, `lanes` the active lanes summed.
    `ptx_line` is the instruction's line in the PTX.
    """

    location: Location
    space: Space
    op: AccessOp
    bytes_per_lane: int
    requests: int
    lanes: int
    sectors: int
    ideal_sectors: int
    wavefronts: int
    conflicts: int
    worst: WorstRequest | None
    provenance: Provenance
    inlined: tuple[Location, ...] = ()
    ptx_line: int = 0

    @property
    def efficiency(self) -> float:
        """Ideal sectors / sectors, 1.0 for a site that moved nothing."""
        return self.ideal_sectors / self.sectors if self.sectors else 1.0


@dataclass(frozen=True)
class TracedRequest:
    """One warp-level access as it happened. `lanes` as in WorstRequest, but global ones are device addresses."""

    location: Location
    ptx_line: int
    space: Space
    op: AccessOp
    block: tuple[int, int, int]
    warp: int
    lanes: tuple[int | None, ...]


@dataclass(frozen=True)
class Counters:
    """Launch totals under the names that Nsight Compute readings are compared with."""

    global_load_requests: int = 0
    global_load_sectors: int = 0
    global_store_requests: int = 0
    global_store_sectors: int = 0
    shared_load_wavefronts: int = 0
    shared_load_conflicts: int = 0
    shared_store_wavefronts: int = 0
    shared_store_conflicts: int = 0
    shared_atomic_wavefronts: int = 0
    shared_atomic_conflicts: int = 0

    def __add__(self, other: Counters) -> Counters:
        return Counters(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))
