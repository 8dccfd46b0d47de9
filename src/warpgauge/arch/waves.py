"""How a launch lands on the chip: warps of a block and what they cover, waves of blocks and the last one's tail."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Warp:
    """A warp of a block: the thread indices (x, y, z) of its first and last lane, and the rows of x it touches."""

    number: int
    first: Index3
    last: Index3
    rows: int


def thread_index(linear: int, block: Index3) -> Index3:
    """Thread (x, y, z) with a linear id: x + y * Dx + z * Dx * Dy. Lanes follow this id, whatever the block's shape."""
    x, y, _ = block
    return linear % x, linear // x % y, linear // (x * y)


def warps_of(block: Index3, warp_size: int = 32) -> tuple[Warp, ...]:
    """The warps of a block, in order; the last one may have idle lanes."""
    threads = prod(block)
    out = []
    for number, start in enumerate(range(0, threads, warp_size)):
        end = min(start + warp_size, threads) - 1
        rows = end // block[0] - start // block[0] + 1
        out.append(Warp(number, thread_index(start, block), thread_index(end, block), rows))
    return tuple(out)


@dataclass(frozen=True)
class Waves:
    """Blocks of a launch on a chip with `sms` SMs that hold `blocks_per_sm` of them each.

    `full` waves fill the chip, `tail` blocks are left for one more. `busy_sms` have work in the last wave if blocks are
    spread evenly; `idle_lanes` of each block belong to no thread, `idle_threads` of the launch to no element.
    """

    blocks: int
    sms: int
    blocks_per_sm: int
    warps_per_block: int
    idle_lanes: int
    idle_threads: int | None

    @property
    def capacity(self) -> int:
        return self.sms * self.blocks_per_sm

    @property
    def full(self) -> int:
        return self.blocks // self.capacity

    @property
    def tail(self) -> int:
        return self.blocks % self.capacity

    @property
    def waves(self) -> float:
        return self.blocks / self.capacity

    @property
    def busy_sms(self) -> int:
        return min(self.tail or self.capacity, self.sms)

    @property
    def blocks_in_first_wave(self) -> int:
        return min(self.blocks, self.capacity)


def waves(
    grid: Index3, block: Index3, *, sms: int, blocks_per_sm: int, elements: int | None = None, warp_size: int = 32
) -> Waves:
    """Waves of a launch; `elements` is how many threads have something to do. ValueError where no block fits an SM."""
    if blocks_per_sm < 1:
        raise ValueError("no block fits on an SM")
    threads, blocks = prod(block), prod(grid)
    warps = -(-threads // warp_size)
    idle = None if elements is None else max(0, blocks * threads - elements)
    return Waves(blocks, sms, blocks_per_sm, warps, warps * warp_size - threads, idle)
