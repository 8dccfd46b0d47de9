"""Which blocks stand for a grid: the same ones every time, at its corners, along its far edges and spread over it."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

_GOLDEN = 0.6180339887498949
"""Multiples of the golden ratio fall evenly into [0, 1), for any number of them and in step with no row length."""


def sampled_blocks(grid: tuple[int, int, int], most: int) -> NDArray[np.int64] | None:
    """Ascending numbers of at most `most` blocks; None where the grid has no more than that.

    First and last block, then the other corners; a quarter of the rest along the far edges, where guards and remainders
    are; the others over the whole grid.
    """
    total = grid[0] * grid[1] * grid[2]
    if total <= most:
        return None
    corners = sorted({_number(at, grid) for at in product(*((0, n - 1) for n in grid))})
    chosen = dict.fromkeys([0, total - 1, *corners][:most])
    edges = _edges(grid)
    budget = len(chosen) + (most - len(chosen)) // 4
    for space, end in ((edges, budget), (None, most)):
        size = total if space is None else int(space.size)
        step = 0
        # Twice around: what the first round hit again is made up for by the second.
        while len(chosen) < end and step < 2 * size:
            step += 1
            at = int(size * (step * _GOLDEN % 1))
            chosen[at if space is None else int(space[at])] = None
    rest = (n for n in range(total) if n not in chosen)
    while len(chosen) < most:
        chosen[next(rest)] = None
    return np.array(sorted(chosen), np.int64)


def _number(at: tuple[int, ...], grid: tuple[int, int, int]) -> int:
    return at[0] + grid[0] * (at[1] + grid[1] * at[2])


def _edges(grid: tuple[int, int, int]) -> NDArray[np.int64]:
    """Ascending numbers of the blocks that are last along some axis which has several."""
    width, height, depth = grid
    found = []
    if width > 1:
        found.append(_count(height * depth) * width + width - 1)
    if height > 1:
        found.append((((_count(depth) * height + height - 1) * width)[:, None] + _count(width)).reshape(-1))
    if depth > 1:
        found.append((depth - 1) * height * width + _count(width * height))
    return np.unique(np.concatenate(found))


def _count(number: int) -> NDArray[np.int64]:
    return np.arange(number, dtype=np.int64)
