"""All block tiles of a matrix product on a chip: those that fit, ranked, and why the others do not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from math import log

from .gemm import Gemm
from .model import Estimate, estimate
from .tile import BlockTile, Fit, fit

_SIDES = (32, 64, 128, 256)
_ROW_BYTES = (32, 64, 128)
_STAGES = (1, 2, 3, 4, 5)
_WARPS = (1, 2, 4, 8, 16)
_ALIKE = 1.05
_FAR = 2.0


@dataclass(frozen=True)
class Score:
    """A proposed tile: its rank among those that were searched (1 is best), and its time over that of the first.

    `estimate` is None where it does not fit; `fit.reasons` says why.
    """

    fit: Fit
    estimate: Estimate | None
    rank: int | None
    slower: float | None


@dataclass(frozen=True)
class Solution:
    """`ranked` has the tiles that fit, the fastest first by prediction; `rejected` the others, with reasons."""

    gemm: Gemm
    ranked: tuple[Estimate, ...]
    rejected: tuple[Fit, ...]
    score: Score | None = None

    @property
    def limits(self) -> dict[str, int]:
        """How many tiles each limit rejects; a tile may break several."""
        return dict(Counter(limit for f in self.rejected for limit in {reason.limit for reason in f.reasons}))


@dataclass(frozen=True)
class Shift:
    """The same question on another chip.

    Of the `of` tiles that fit on the first, `lost` do not fit there, and `moved` fit but are worth twice as much
    or half as much (or beyond), measured by the time of each chip's first tile.
    """

    solution: Solution
    lost: int
    moved: int
    of: int


def candidates(gemm: Gemm) -> tuple[BlockTile, ...]:
    """The tiles that are searched: sides of 32 to 256, rows of 32 to 128 bytes, 1 to 5 stages, 1 to 16 warps."""
    depths = [row // gemm.element_bytes for row in _ROW_BYTES]
    return tuple(BlockTile(*numbers) for numbers in product(_SIDES, _SIDES, depths, _STAGES, _WARPS))


def _ranked(found: list[Estimate]) -> tuple[Estimate, ...]:
    """The fastest first; among those within 5 %, which are not told apart, the one that asks L2 for least."""
    fastest = min((each.total for each in found), default=1.0)

    def order(each: Estimate) -> tuple[int, float, float, int, BlockTile]:
        grade = int(log(each.total / fastest) / log(_ALIKE))
        return grade, -each.l2_intensity, each.total, each.fit.shared, each.fit.tile

    return tuple(sorted(found, key=order))


def solve(gemm: Gemm, proposed: tuple[int, ...] = ()) -> Solution:
    """Ranks every candidate; `proposed` is bm, bn, bk, stages and, unless the best number is wanted, warps."""
    fits = [fit(gemm, tile) for tile in candidates(gemm)]
    ranked = _ranked([estimate(gemm, f) for f in fits if f.occupancy is not None])
    score = _score(gemm, ranked, proposed) if proposed else None
    return Solution(gemm, ranked, tuple(f for f in fits if f.occupancy is None), score)


def _score(gemm: Gemm, ranked: tuple[Estimate, ...], proposed: tuple[int, ...]) -> Score:
    bm, bn, bk, stages = proposed[:4]
    fits = [fit(gemm, BlockTile(bm, bn, bk, stages, warps)) for warps in proposed[4:] or _WARPS]
    fitting = [estimate(gemm, f) for f in fits if f.occupancy is not None]
    if not fitting:
        # The number of warps that breaks the fewest rules shows what is really in the way.
        return Score(min(fits, key=lambda f: (len(f.reasons), -f.tile.warps)), None, None, None)
    best = min(fitting, key=lambda each: (each.total, each.fit.tile))
    others = [each for each in ranked if each.fit.tile != best.fit.tile]
    rank = 1 + _ranked([best, *others]).index(best)
    return Score(best.fit, best, rank, best.total / ranked[0].total if ranked else 1.0)


def shift(first: Solution, other: Gemm, proposed: tuple[int, ...] = ()) -> Shift:
    """How the answer moves on another chip."""
    solution = solve(other, proposed)
    here, there = _worth(first), _worth(solution)
    both = here.keys() & there.keys()
    moved = sum(not 1 / _FAR < here[tile] / there[tile] < _FAR for tile in both)
    return Shift(solution, len(here) - len(both), moved, len(here))


def _worth(solution: Solution) -> dict[BlockTile, float]:
    """The time of the first tile over that of each."""
    return {found.fit.tile: solution.ranked[0].total / found.total for found in solution.ranked}
