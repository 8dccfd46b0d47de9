"""`pad_tile`: layouts of a tile, advised by the wavefront rule and executed.

Execution counts what the rule predicts and reads back every element, so a layout is only vouched for where both agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warpgauge.arch import Demand, Occupancy, limits, occupancy
from warpgauge.padding import Access, Advice, Option, Tile, advise

from .padding_counts import CountedLayout, count_layouts
from .record import FAILED, PASSED, UNDECIDED

SECTOR = 32
_COPY_PAST_L1 = 16  # bytes per lane: cp.async.cg has no other width


@dataclass(frozen=True)
class Choice:
    """A layout with what was predicted, counted, and what an SM holds of blocks with it.

    `name` is now, pad or swizzle; `occupancy` counts all of a block's tiles, `bytes` and `wasted` one. With
    `splits_sectors` cp.async.cg would fetch sectors again, as its 16-byte copies of one sector end in two pieces of 32.
    """

    name: str
    option: Option
    bytes: int
    wasted: int
    counted: CountedLayout
    occupancy: Occupancy
    splits_sectors: bool = False

    @property
    def agrees(self) -> bool:
        return self.counted.agrees(self.option)


@dataclass(frozen=True)
class PadAnswer:
    """The layout at hand, then those that are advised in its place; none where it is free of conflicts as it is."""

    advice: Advice
    choices: tuple[Choice, ...]

    @property
    def exit_code(self) -> int:
        """1 where the layout at hand faults, 3 where execution contradicts the rule, else 0."""
        if not all(choice.agrees for choice in self.choices):
            return UNDECIDED
        return FAILED if self.choices[0].counted.faults else PASSED


def pad_tile(
    tile: Tile,
    accesses: Sequence[Access],
    *,
    pitch: int,
    threads: int,
    arch: str,
    registers: int,
    tiles: int = 1,
    other_shared: int = 0,
) -> PadAnswer:
    """Advice for a tile whose rows start `pitch` bytes apart, executed, with the occupancy of every layout.

    A block has `threads` threads, `registers` per thread, `tiles` tiles of this layout and `other_shared` bytes beside
    them. KeyError and ValueError as `arch.occupancy`; WarpgaugeError as `count_layouts`.
    """
    limit = limits(arch)
    if int(limit.arch.removeprefix("sm_")) < 80 and any(access.kind == "copy" for access in accesses):
        raise ValueError(f"{limit.arch} has no cp.async")
    advice = advise(tile, accesses, pitch=pitch)
    options = {"now": advice.now}
    for name, option in (("pad", advice.pad), ("swizzle", advice.swizzle)):
        if option is not None and (not advice.now.good or option.layout.pitch < pitch):
            options[name] = option
    held = {
        name: occupancy(
            limit, Demand(threads, registers, dynamic_shared=tiles * option.layout.bytes(tile) + other_shared)
        )
        for name, option in options.items()
    }
    counted = count_layouts(tile, accesses, [option.layout for option in options.values()], threads, arch)
    copied = any(access.kind == "copy" and access.bytes_per_lane == _COPY_PAST_L1 for access in accesses)
    choices = tuple(
        Choice(
            name,
            option,
            option.layout.bytes(tile),
            option.layout.wasted(tile),
            found,
            held[name],
            copied and option.layout.pitch % SECTOR != 0,
        )
        for (name, option), found in zip(options.items(), counted, strict=True)
    )
    return PadAnswer(advice, choices)
