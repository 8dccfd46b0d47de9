"""Everything that the tables say about one kernel on one SM, and with a chip and a grid about its launch."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from .chips import Chip, chip
from .latency import InFlight, needed_in_flight
from .limits import Limits, limits
from .occupancy import Demand, Occupancy, Step, block_ladder, occupancy, register_ladder, steps
from .waves import Index3, Warp, Waves, warps_of, waves


@dataclass(frozen=True)
class Residency:
    """Occupancy with its steps and what-if tables.

    `chip` and `in_flight` are there where a chip is named, `waves` where a grid is as well and a block fits.
    """

    limit: Limits
    block: Index3
    occupancy: Occupancy
    steps: tuple[Step, ...]
    by_registers: tuple[Occupancy, ...]
    by_block: tuple[Occupancy, ...]
    warps: tuple[Warp, ...]
    chip: Chip | None = None
    in_flight: InFlight | None = None
    waves: Waves | None = None


def residency(
    arch: str,
    block: Index3,
    *,
    registers: int,
    static_shared: int = 0,
    dynamic_shared: int = 0,
    barriers: int = 0,
    chip_name: str | None = None,
    grid: Index3 | None = None,
    elements: int | None = None,
) -> Residency:
    """The whole answer for one kernel.

    KeyError for an unknown architecture or chip (the message lists the known ones); ValueError for values that no
    launch can have, and for a chip of another architecture.
    """
    limit = limits(arch)
    product = None if chip_name is None else chip(chip_name)
    if product is not None and product.arch != limit.arch:
        raise ValueError(f"chip {product.name} is {product.arch}, not {limit.arch}")
    for name, size, most in (("block", block, limit.block_dim), ("grid", grid or (1, 1, 1), limit.grid_dim)):
        for axis, value, top in zip("xyz", size, most, strict=True):
            if not 1 <= value <= top:
                raise ValueError(f"{name}.{axis}: {value} is not within 1 to {top} ({limit.arch})")
    if elements is not None and elements < 0:
        raise ValueError(f"elements: {elements} is negative")
    demand = Demand(prod(block), registers, static_shared, dynamic_shared, barriers)
    found = occupancy(limit, demand)
    placed = None
    if product is not None and grid is not None and found.blocks_per_sm:
        placed = waves(grid, block, sms=product.sms, blocks_per_sm=found.blocks_per_sm, elements=elements)
    return Residency(
        limit,
        block,
        found,
        steps(limit, demand),
        register_ladder(limit, demand),
        block_ladder(limit, demand),
        warps_of(block, limit.warp_size),
        product,
        None if product is None else needed_in_flight(product, limit),
        placed,
    )
