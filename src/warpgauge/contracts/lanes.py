"""What the lanes of one request do, read from their addresses: the step between neighbours and what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from warpgauge.arch import bank_cost

SECTOR = 32
_REGULAR = 0.75  # share of neighbouring pairs that must agree on a step for it to be called the lanes' step
_WIDEST_PAD = 128  # bytes: one row of all banks, after which a padding repeats itself


@dataclass(frozen=True)
class Pattern:
    """`step` is the distance in bytes that most neighbouring active lanes keep, None where there is none.

    `misaligned` is how far the lowest address lies past a 32-byte boundary.
    """

    step: int | None
    misaligned: int
    active: int


@dataclass(frozen=True)
class Request:
    """One shared-memory request: byte addresses by lane, access width, whether it loads, and its source line."""

    lanes: tuple[int | None, ...]
    bytes_per_lane: int
    load: bool = True
    where: str = ""


@dataclass(frozen=True)
class Padding:
    """`pad` bytes behind every row of `pitch` bytes; `spoiled` names the lines that it would give new conflicts."""

    pitch: int
    pad: int
    spoiled: tuple[str, ...] = ()


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


def repitched(lanes: tuple[int | None, ...], base: int, pitch: int, pad: int) -> tuple[int | None, ...]:
    """The same elements' addresses if every row of `pitch` bytes, counted from `base`, had `pad` bytes behind it."""
    return tuple(None if a is None else base + (a - base) // pitch * (pitch + pad) + (a - base) % pitch for a in lanes)


def _conflicts(request: Request, base: int, pitch: int, pad: int) -> int:
    moved = repitched(request.lanes, base, pitch, pad)
    return bank_cost(moved, request.bytes_per_lane, merge_pairs=request.load).conflicts


def smallest_pad(request: Request, others: Sequence[Request] = ()) -> Padding | None:
    """The least padding that frees `request` of conflicts by the wavefront rule, best without costing `others` any.

    The row pitch is the lanes' step; rows are counted from the lowest address of all requests given. A padding is a
    multiple of every access width, which keeps the accesses aligned. None where the lanes keep no step or no padding
    helps.
    """
    step = pattern(request.lanes).step
    if step is None or abs(step) <= request.bytes_per_lane:
        return None
    pitch = abs(step)
    base = min(a for r in (request, *others) for a in r.lanes if a is not None)
    grain = max(r.bytes_per_lane for r in (request, *others))
    first: Padding | None = None
    for pad in range(grain, _WIDEST_PAD, grain):
        if _conflicts(request, base, pitch, pad):
            continue
        spoiled = tuple(r.where for r in others if _conflicts(r, base, pitch, pad) > _conflicts(r, base, pitch, 0))
        if not spoiled:
            return Padding(pitch, pad)
        first = first or Padding(pitch, pad, spoiled)
    return first


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


def conflict_advice(request: Request, others: Sequence[Request] = ()) -> str:
    """What to change so that a shared-memory request runs without conflicts; a padding is tried before it is named.

    `others` are the requests of the same launch that touch the same array: a padding must not hurt them.
    """
    step = pattern(request.lanes).step
    if step is None:
        return (
            "the lanes' addresses follow no common step, so no padding helps: change which lane handles which element, "
            "or swizzle (XOR) the column index with the row"
        )
    padding = smallest_pad(request, others)
    if padding is None:
        return (
            f"neighbouring lanes are {abs(step)} bytes apart and no padding of such rows frees this request: swizzle "
            "(XOR) the column index with the row, or let the lane index run over the contiguous dimension"
        )
    words = f"{padding.pitch / 4:g} words" if padding.pitch % 4 == 0 else f"{padding.pitch} bytes"
    elements = padding.pad // request.bytes_per_lane
    advice = (
        f"neighbouring lanes are {words} apart and meet in the same banks: pad each row from {padding.pitch} to "
        f"{padding.pitch + padding.pad} bytes ({elements} more element{'s' * (elements > 1)} of "
        f"{request.bytes_per_lane} bytes; the smallest padding that frees this request by the wavefront rule)"
    )
    if padding.spoiled:
        lines = ", ".join(dict.fromkeys(padding.spoiled))
        return f"{advice}; it would cost the access at {lines} new conflicts, so consider a swizzle (XOR) instead"
    return advice
