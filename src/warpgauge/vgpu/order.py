"""Orders in which the blocks of a launch are started and the warps of a block are run: data, never other code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Blocks and warps draw from streams of their own, so that a block's warps do not follow the order of the grid.
_BLOCKS, _WARPS = 0, 1


@dataclass(frozen=True)
class Order:
    """A seeded permutation of blocks and of warps; every block runs its warps in the same order.

    CUDA promises no order of either, so each permutation is a legal schedule. `reverse` runs a permutation backwards:
    under an order and its reverse, of any two blocks (and of any two warps of a block) each comes first once.
    """

    seed: int
    reverse: bool = False

    def blocks(self, count: int) -> NDArray[np.int64]:
        """Numbers of `count` blocks in the order in which they are started."""
        return self._permuted(count, _BLOCKS)

    def warps(self, count: int) -> NDArray[np.int64]:
        """Numbers of a block's warps in the order in which they are run."""
        return self._permuted(count, _WARPS)

    def _permuted(self, count: int, stream: int) -> NDArray[np.int64]:
        order = np.random.default_rng((self.seed, stream)).permutation(count).astype(np.int64)
        return np.ascontiguousarray(order[::-1]) if self.reverse else order

    def __str__(self) -> str:
        return f"permutation {self.seed}{', reversed' if self.reverse else ''}"


def opposed(seed: int) -> tuple[Order, Order]:
    """A permutation and its reverse."""
    return Order(seed), Order(seed, reverse=True)
