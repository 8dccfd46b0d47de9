"""What frees a shared array of bank conflicts: a padding and a swizzle, tried on all accesses before they are named.

The array is reconstructed from addresses: lanes that conflict lie in different rows, so the distance between the pieces
that they touch is the pitch of the rows. What is known of every access is its worst request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from warpgauge.evidence import Site, helper_file
from warpgauge.padding import Access, Advice, Option, Tile, advise

from .lanes import pattern

_NO_ROWS = (
    "the lanes' addresses follow no common step, so no padding helps: change which lane handles which element, or "
    "swizzle (XOR) the column index with the row"
)
_ATOMIC = (
    "atomics of several lanes on one word are served one after the other, wherever it lies: combine values within the "
    "warp before the atomic, or give groups of lanes copies of the array of their own"
)


@dataclass(frozen=True)
class Rows:
    """A shared array taken as rows: where it begins, and its accesses; `sized` where the number of rows is known."""

    tile: Tile
    accesses: tuple[Access, ...]
    sized: bool


def pitch_of(lanes: Sequence[int | None], bytes_per_lane: int) -> int:
    """The distance in bytes of the rows that a request touches; 0 where it does not show.

    It is the common distance between the pieces of contiguous bytes, or of the lanes where those leave no gap.
    """
    starts: list[int] = []
    end = None
    for address in sorted({a for a in lanes if a is not None}):
        if end is None or address > end:
            starts.append(address)
        end = address + bytes_per_lane
    return gcd(*(start - starts[0] for start in starts)) if len(starts) > 1 else abs(pattern(tuple(lanes)).step or 0)


def rows_of(site: Site, others: Sequence[Site]) -> Rows | None:
    """The array of a conflicting site as rows that hold every access of it whole; None where it is no such array."""
    sites = [site, *others]
    assert site.worst is not None
    pitch = pitch_of(site.worst.lanes, site.bytes_per_lane)
    unit = min(each.bytes_per_lane for each in sites)
    if pitch <= site.bytes_per_lane or pitch % unit:
        return None
    extent = site.worst.extent
    touched = [a for each in sites if each.worst for a in each.worst.lanes if a is not None]
    base = extent[0] if extent else min(touched)
    accesses = []
    for each in sites:
        assert each.worst is not None
        lanes = tuple(None if a is None else divmod(a - base, pitch) for a in each.worst.lanes)
        width = each.bytes_per_lane
        if any(at is not None and (at[0] < 0 or at[1] % width or at[1] + width > pitch) for at in lanes):
            return None
        header = helper_file(each.location, each.inlined)
        word = f"line {each.location.line}" + (f" of {header}" if header else "")
        accesses.append(Access(word, "load" if each.op == "load" else "store", width, (lanes,)))
    sized = extent is not None and extent[1] % pitch == 0
    rows = extent[1] // pitch if extent and sized else (max(touched) - base) // pitch + 1
    return Rows(Tile(rows, pitch // unit, unit), tuple(accesses), sized)


def conflict_advice(site: Site, others: Sequence[Site]) -> str:
    """What to change so that a site's requests run without conflicts, and `others` of the same array as well.

    A layout is named after the wavefront rule has confirmed it; what it would leave at other lines is said.
    """
    if site.worst is None:
        return ""
    words = [a // 4 for a in site.worst.lanes if a is not None]
    if site.op == "atomic" and len(set(words)) < len(words):
        return _ATOMIC
    others = [other for other in others if other.worst is not None and other.op != "atomic"]
    known = site.worst.extent is not None
    array = rows_of(site, others)
    if array is None:
        # An access that breaks the rows may be to another array where arrays are not known apart.
        array, others = rows_of(site, ()), ()
    if array is None:
        return _NO_ROWS
    advice = advise(array.tile, array.accesses)
    pitch = array.tile.row_bytes
    distance = f"{pitch / 4:g} words" if pitch % 4 == 0 else f"{pitch} bytes"
    if advice.pad is None and advice.swizzle is None:
        return (
            f"rows are {distance} apart, and neither a padding nor a swizzle (XOR) of such rows frees this request: "
            "let the lane index run over the contiguous dimension"
        )
    named = f" of {site.worst.buffer}" if site.worst.buffer else ""
    apart = f"rows{named} are {distance} apart and the lanes meet in the same banks"
    parts = [part for part in (_pad(advice, array, site), _swizzle(advice, array.tile)) if part]
    told = f"{apart}: {', or '.join(parts)}. {_tried(advice, bool(others), known)}"
    if known and any(option and _left(advice, option) for option in (advice.pad, advice.swizzle)):
        told += f"; if {site.worst.buffer} holds tiles of several row lengths, lay out each by itself"
    return told


def _pad(advice: Advice, array: Rows, site: Site) -> str:
    if advice.pad is None:
        return ""
    layout, pitch = advice.pad.layout, array.tile.row_bytes
    pad = layout.pitch - pitch
    if not pad:
        return ""
    count = pad // site.bytes_per_lane
    elements = f"{count} more element{'s' * (count > 1)} of {site.bytes_per_lane} bytes"
    cost = f", {layout.wasted(array.tile):,} bytes in all" if array.sized else ""
    return f"pad each row from {pitch} to {layout.pitch} bytes ({elements}{cost}){_left(advice, advice.pad)}"


def _swizzle(advice: Advice, tile: Tile) -> str:
    if advice.swizzle is None:
        return ""
    layout = advice.swizzle.layout
    wider = f" in rows of {layout.pitch} bytes" if layout.pitch > tile.row_bytes else ", which takes no memory"
    column = layout.column(tile.element_bytes)
    return (
        f"swizzle: keep the {tile.element_bytes}-byte element of row r and column c at column {column}, wherever the "
        f"array is used{wider}{_left(advice, advice.swizzle)}"
    )


def _left(advice: Advice, option: Option) -> str:
    """The accesses that keep or get conflicts under a layout, by line."""
    lines = [a.word for a, cost in zip(advice.accesses, option.costs, strict=True) if cost.avoidable]
    return f" (which leaves conflicts at {', '.join(dict.fromkeys(lines))})" if lines else ""


def _tried(advice: Advice, several: bool, known: bool) -> str:
    if not several:
        return "Each is the smallest of its kind, tried on the worst request by the wavefront rule"
    lines = ", ".join(dict.fromkeys(access.word for access in advice.accesses))
    apart = "" if known else "; arrays within dynamic shared memory are not told apart"
    return f"Each is the smallest of its kind, tried on the worst requests of {lines} by the wavefront rule{apart}"
