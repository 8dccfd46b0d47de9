"""What one warp of a kernel keeps in flight by itself, read off its machine code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class LoadBatch:
    """Loads of one space that are under way together when the warp first waits for one of them.

    `ptx_lines` has the PTX line of each load, as often as it is in flight.
    """

    space: Literal["global", "shared"]
    ptx_lines: tuple[int, ...]


@dataclass(frozen=True)
class Parallelism:
    """`batches` in the order of their waits; `ilp` is the mean number of independent instructions of the largest loop.

    `bulk` says that the kernel also copies in bulk (the code does not say how much), `tensor` that it uses tensor
    cores.
    """

    batches: tuple[LoadBatch, ...]
    ilp: float
    bulk: bool = False
    tensor: bool = False
