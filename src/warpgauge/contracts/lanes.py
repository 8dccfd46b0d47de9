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


def coalescing_advice(lanes: tuple[int | None, ...], bytes_per_lane: int) -> str:
    """What to change so that a request needs fewer sectors, reasoned from its addresses."""
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
