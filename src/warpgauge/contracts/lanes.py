"""What the lanes of one request do, read from their addresses: the step between neighbours and what follows from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

SECTOR = 32
_REGULAR = 0.75  # share of neighbouring pairs that must agree on a step for it to be called the lanes' step


@dataclass(frozen=True)
class Pattern:
    """`step` is the distance in bytes that most neighbouring active lanes keep, None where there is none.

    `misaligned` is how far the lowest address lies past a 32-byte boundary.
    """

    step: int | None
    misaligned: int
    active: int


def pattern(lanes: tuple[int | None, ...]) -> Pattern:
    """The pattern of one request's byte addresses by lane."""
    active = [address for address in lanes if address is not None]
    steps = Counter(after - before for before, after in pairwise(lanes) if before is not None and after is not None)
    step: int | None = None
    if steps:
        likely, times = min(steps.items(), key=lambda item: (-item[1], abs(item[0])))
        if times >= _REGULAR * sum(steps.values()):
            step = likely
    return Pattern(step, min(active) % SECTOR if active else 0, len(active))


def distinct_sectors(lanes: tuple[int | None, ...], bytes_per_lane: int) -> int:
    """Sectors under the active lanes' bytes."""
    spans = ((a // SECTOR, (a + bytes_per_lane - 1) // SECTOR) for a in lanes if a is not None)
    return len({sector for first, last in spans for sector in range(first, last + 1)})


def coalescing_advice(lanes: tuple[int | None, ...], bytes_per_lane: int, sectors: int = 0) -> str:
    """What to change so that a request needs fewer sectors, reasoned from its addresses.

    `sectors`: as counted, where known; more than the lanes' addresses span is a copy past the L1 cache.
    """
    if sectors > distinct_sectors(lanes, bytes_per_lane):
        return (
            "cp.async.cg fetches a sector again for every 32-byte piece of shared memory that its bytes go to: let two "
            "copies of 16 bytes that share a sector end in one aligned piece of 32 bytes (a row pitch that is a "
            "multiple of 32 bytes, or a swizzle instead of a padding of 16), or copy with cp.async.ca"
        )
    seen = pattern(lanes)
    if seen.step is None:
        return (
            "the lanes' addresses follow no common step: order the data (or the indices) so that neighbouring lanes "
            "touch neighbouring elements, or stage the values through shared memory"
        )
    step = abs(seen.step)
    if step == bytes_per_lane and seen.misaligned:
        return (
            f"the lanes are contiguous but start {seen.misaligned} bytes past a 32-byte boundary: align the first "
            "address (base pointer, row pitch or index offset) to 32 bytes"
        )
    if step in (8, 16) and step > bytes_per_lane:
        return (
            f"lanes step by {step} bytes and use {bytes_per_lane} of them: read the whole element as one "
            f"{step}-byte vector and use all of it, or keep this field in an array of its own"
        )
    if step > bytes_per_lane and step < SECTOR:
        return (
            f"lanes step by {step} bytes and use {bytes_per_lane} of them: keep what the lanes read contiguous "
            "(one array per field, or a stride of 1), or load all of it once into shared memory"
        )
    if step > bytes_per_lane:
        return (
            f"lanes step by {step} bytes: let the lane index (threadIdx.x) run over the contiguous dimension, or load "
            "contiguous rows into shared memory and transpose there"
        )
    width = bytes_per_lane * max(1, seen.active)
    return (
        f"most lanes are contiguous, but the request is made of short runs ({width} bytes asked for): let more "
        "neighbouring lanes share a row, or give each lane a wider vector"
    )
