"""How neighbouring accesses were cut into wider ones: pure interval arithmetic, no PTX or SASS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: The widest access of any instruction, in bytes per lane.
WIDEST = 32


@dataclass(frozen=True)
class Member:
    """One access of a group. `wide` is the width of the SASS accesses at its line, 0 if there are none."""

    offset: int
    width: int
    wide: int = 0


@dataclass(frozen=True)
class Window:
    """Members `first` up to `end` (indices) became one access of `width` bytes at `offset`."""

    first: int
    end: int
    offset: int
    width: int


@dataclass(frozen=True)
class Tiling:
    """`windows` in order; `unique` says that no other cut is as good."""

    windows: tuple[Window, ...]
    unique: bool


#: Members without an access, windows with unasked bytes, windows at an offset that is no multiple of their width.
Cost = tuple[int, int, int]


def tile(run: Sequence[Member]) -> Tiling | None:
    """Cut members that do not overlap, in order of offset, so that every wide access covers its own member.

    A window is filled by its members or, worse, contains bytes that no member asks for and starts at a multiple of its
    width. Members in no window have no access. The cut of the least `Cost` is taken. None: no cut exists.
    """
    best: list[tuple[Cost, int, tuple[Window, ...]] | None] = [None] * len(run)
    best.append(((0, 0, 0), 1, ()))
    for start in range(len(run) - 1, -1, -1):
        options = []
        if not run[start].wide and (rest := best[start + 1]):
            (absent, padded, crooked), ways, windows = rest
            options.append(((absent + 1, padded, crooked), ways, windows))
        for window, filled in _windows(run, start):
            if rest := best[window.end]:
                (absent, padded, crooked), ways, windows = rest
                cost = (absent, padded + (not filled), crooked + bool(window.offset % window.width))
                options.append((cost, ways, (window, *windows)))
        if options:
            cost = min(option[0] for option in options)
            cheapest = [option for option in options if option[0] == cost]
            best[start] = (cost, sum(ways for _, ways, _ in cheapest), cheapest[0][2])
    found = best[0]
    return Tiling(found[2], found[1] == 1) if found else None


def _windows(run: Sequence[Member], start: int) -> list[tuple[Window, bool]]:
    """Windows that begin with member `start`, and whether their members fill them. At least two members share a window:
    a lone member with a wider access was fused with its own next iteration, which no window can express."""
    found: list[tuple[Window, bool]] = []
    total, wide = run[start].width, {run[start].wide} - {0}
    for at in range(start + 1, len(run)):
        total += run[at].width
        wide |= {run[at].wide} - {0}
        span = run[at].offset + run[at].width - run[start].offset
        if len(wide) > 1 or span > WIDEST:
            break
        for width in wide:
            aligned = run[start].offset // width * width
            if total == span == width:
                found.append((Window(start, at + 1, run[start].offset, width), True))
            elif run[start].offset + span <= aligned + width:
                found.append((Window(start, at + 1, aligned, width), False))
    return found


def place(
    intervals: Sequence[tuple[int, int]], own: int, members: Sequence[Member], free: Sequence[bool]
) -> list[tuple[tuple[int, ...], ...]]:
    """Ways to lay `intervals`, (offset, width) pairs from an unknown origin, over `members`.

    Each interval must be filled exactly by members that are `free`, and member `own` must be in one of them. A way is
    the members of each interval, by index.
    """
    ways = set()
    for first, width in intervals:
        for inside in range(width - members[own].width + 1):
            shift = members[own].offset - inside - first
            filled = [_fill(offset + shift, size, members, free, own) for offset, size in intervals]
            if all(filled) and any(own in part for part in filled):
                ways.add(tuple(filled))
    return sorted(ways)


def _fill(offset: int, width: int, members: Sequence[Member], free: Sequence[bool], own: int) -> tuple[int, ...]:
    """Indices of the members that fill the interval in order; empty if they do not."""
    found: list[int] = []
    at = offset
    while at < offset + width:
        here = [n for n, m in enumerate(members) if m.offset == at and free[n] and m.width <= offset + width - at]
        if not here:
            return ()
        found.append(own if own in here else here[0])
        at += members[found[-1]].width
    return tuple(found)
