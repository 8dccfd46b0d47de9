"""The smallest padding and the smallest swizzle of a tile under which all its accesses run without conflicts.

Both searches are exhaustive. A pitch acts on the banks modulo 128 bytes, so the paddings below 128 bytes are all there
are; swizzles are those of `Swizzle` with XOR values below 32, since no more rows or chunks meet in one request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warpgauge.arch import WAVEFRONT_BYTES

from .access import Access, Cost, cost, free
from .layout import WIDEST, Layout, Swizzle, Tile

_MODULI = (2, 4, 8, 16, 32)
_DIVISORS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Option:
    """One layout and what each access costs under it, in the order of the accesses.

    `misaligned` are the words of the accesses that are wider than the layout keeps aligned: they would fault.
    """

    layout: Layout
    costs: tuple[Cost, ...]
    misaligned: tuple[str, ...] = ()

    @property
    def avoidable(self) -> int:
        return sum(each.avoidable for each in self.costs)

    @property
    def wavefronts(self) -> int:
        return sum(each.wavefronts for each in self.costs)

    @property
    def good(self) -> bool:
        return not self.avoidable and not self.misaligned


@dataclass(frozen=True)
class Advice:
    """`now` is the layout as it was given; `pad` and `swizzle` the smallest that are free of conflicts for all accesses
    at once, or where none is, those with the fewest wavefronts; None where there is none to choose from."""

    tile: Tile
    accesses: tuple[Access, ...]
    now: Option
    pad: Option | None
    swizzle: Option | None


def option(layout: Layout, accesses: Sequence[Access]) -> Option:
    """What the accesses cost under a layout, and whether it keeps them aligned."""
    misaligned = tuple(a.word for a in accesses if layout.alignment % a.bytes_per_lane)
    return Option(layout, tuple(cost(access, layout) for access in accesses), misaligned)


def advise(tile: Tile, accesses: Sequence[Access], *, pitch: int = 0) -> Advice:
    """Searches the layouts of a tile. `pitch` is that of the rows as they are, in bytes (0: rows without padding).

    Padding is measured from the bare rows, so a pitch that is larger than needed is improved upon as well.
    """
    now = option(Layout(pitch or tile.row_bytes), accesses)
    pad = _smallest(accesses, _paddings(tile, accesses), now)
    if pad is not None and pad.good and not pad.layout.wasted(tile):
        # Bare rows do: there is nothing for a swizzle to save.
        return Advice(tile, tuple(accesses), now, pad, None)
    return Advice(tile, tuple(accesses), now, pad, _smallest(accesses, _swizzles(tile, accesses), now))


def _grain(tile: Tile, accesses: Sequence[Access]) -> int:
    return max([tile.element_bytes, *(access.bytes_per_lane for access in accesses)])


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _paddings(tile: Tile, accesses: Sequence[Access]) -> list[Layout]:
    """Aligned pitches, the smallest first."""
    grain = _grain(tile, accesses)
    start = _up(tile.row_bytes, grain)
    return [Layout(pitch) for pitch in range(start, start + WAVEFRONT_BYTES, grain)]


def _swizzles(tile: Tile, accesses: Sequence[Access]) -> list[Layout]:
    """Swizzles that keep the widest access whole, by bytes of the tile, then by the range of the XOR, then by the
    coarsest chunk: whole 16-byte chunks are what copies and tensor maps can follow. Wider ones come last."""
    found = []
    grain = _grain(tile, accesses)
    while grain < WAVEFRONT_BYTES:
        for modulo in _MODULI:
            # The XOR must stay within the row, whose chunks are therefore a multiple of its range.
            pitch = _up(tile.row_bytes, grain * modulo)
            if pitch - tile.row_bytes < WAVEFRONT_BYTES:
                found += [Layout(pitch, Swizzle(grain, divide, modulo)) for divide in _DIVISORS]
        grain *= 2

    def order(layout: Layout) -> tuple[int, int, bool, int, int]:
        swizzle = layout.swizzle
        assert swizzle is not None
        return layout.pitch, swizzle.modulo, swizzle.grain > WIDEST, -swizzle.grain, swizzle.divide

    return sorted(found, key=order)


def _smallest(accesses: Sequence[Access], layouts: Sequence[Layout], now: Option) -> Option | None:
    """The first layout that is free of conflicts, else the first with the fewest that could be avoided.

    A layout that takes as many wavefronts as the one at hand is no advice, unless it takes less memory or that one
    cannot be run at all.
    """
    for layout in layouts:
        if free(accesses, layout):
            return option(layout, accesses)
    best = min(
        (option(layout, accesses) for layout in layouts), key=lambda o: (o.avoidable, o.wavefronts), default=None
    )
    if best is None or now.misaligned:
        return best
    return best if (best.wavefronts, best.layout.pitch) < (now.wavefronts, now.layout.pitch) else None
