"""How long a product takes with a tile, predicted: the busiest resource of the busiest SM, step by step.

For one step of bk each resource has a number of clocks; the largest is the step's, since copies run beside arithmetic.
Blocks on one SM share its resources and cover each other's waiting. Nothing else is modelled: no issue slots, no
clock below boost, and mma.sync at the rate quoted for the chip (which on sm_90 and later takes wgmma or tcgen05).
Use it to compare tiles, not to tell time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from warpgauge.arch import WAVEFRONT_BYTES, Waves, waves

from .gemm import L2_BYTES_PER_CLOCK, Gemm
from .tile import Fit, slice_bytes

#: Clocks of a step in which a block's warps wait at its barrier, for the first fragments and the first products, and
#: nothing of its own covers that. An assumption: a barrier, a shared load and an mma.sync of some 20 to 30 clocks each.
EXPOSED = 64


@dataclass(frozen=True)
class Estimate:
    """A tile that fits, predicted. `clocks` of one step by resource; `total` of the launch on the busiest SM.

    `edges` is the share of the tiles that lies inside C and K, `spread` the share of SM time that has blocks,
    `l2_intensity` and `dram_intensity` operations per byte.
    """

    fit: Fit
    clocks: dict[str, float]
    total: float
    efficiency: float
    seconds: float
    edges: float
    spread: float
    waves: Waves
    l2_intensity: float
    dram_intensity: float

    @property
    def limited_by(self) -> str:
        """The resource whose clocks decide; the barrier only where it adds more than a tenth to the others."""
        others = {name: clocks for name, clocks in self.clocks.items() if name != "barrier"}
        largest = max(others, key=lambda name: others[name])
        return "barrier" if self.clocks["barrier"] > 1.1 * others[largest] else largest


def _dram_bytes(gemm: Gemm, fit: Fit, down: int, across: int, resident: int) -> float:
    """Bytes of A and B from device memory: each wave of blocks reads the rows and columns under it once.

    A wave is taken as close to a square of the grid as it can be; an A and B that fit in L2 are read once in all.
    """
    once = (gemm.m + gemm.n) * gemm.k * gemm.element_bytes
    if once <= gemm.chip.l2_bytes:
        return once
    tile, depth = fit.tile, gemm.k * gemm.element_bytes
    at_once = min(down * across, gemm.chip.sms * resident)
    strips = [
        (rows * tile.bm + min(across, ceil(at_once / rows)) * tile.bn) * depth
        for rows in range(1, min(down, at_once) + 1)
        if ceil(at_once / rows) <= across
    ]
    return max(once, min(strips) * down * across / at_once)


def estimate(gemm: Gemm, fit: Fit) -> Estimate:
    """The prediction for a tile that fits."""
    assert fit.occupancy is not None
    tile, chip = fit.tile, gemm.chip
    down, across, steps = ceil(gemm.m / tile.bm), ceil(gemm.n / tile.bn), ceil(gemm.k / tile.bk)
    blocks = down * across
    busiest = ceil(blocks / chip.sms)
    resident = min(fit.occupancy.blocks_per_sm, busiest)
    moved = slice_bytes(gemm, tile)
    fragments = tile.warps * (fit.warp_m + fit.warp_n) * tile.bk * gemm.element_bytes
    dram = _dram_bytes(gemm, fit, down, across, resident)
    # A warp keeps the units of one sub-partition busy.
    units = min(1.0, resident * tile.warps / gemm.limit.sub_partitions)
    clocks = {
        "arithmetic": 2 * tile.bm * tile.bn * tile.bk / gemm.rate / units,
        "shared memory": (fragments + moved) / WAVEFRONT_BYTES,
        "L2": moved / L2_BYTES_PER_CLOCK,
        "device memory": dram / (blocks * steps) / gemm.dram_bytes_per_clock,
    }
    latency, busy = chip.memory_latency_cycles, max(clocks.values())
    clocks["barrier"] = (busy + EXPOSED) / resident
    if latency is not None:
        ahead = latency / (tile.stages - 1) if tile.stages > 1 else latency + busy
        clocks["latency"] = ahead / resident
    step = max(clocks.values())
    stores = tile.bm * tile.bn * gemm.element_bytes / gemm.dram_bytes_per_clock
    total = busiest * (steps * step + ((latency or 0) + stores) / resident)
    ideal = gemm.flops / gemm.rate / chip.sms
    return Estimate(
        fit,
        clocks,
        total,
        ideal / total,
        total / gemm.clock_hz,
        gemm.m * gemm.n * gemm.k / (blocks * tile.bm * tile.bn * steps * tile.bk),
        blocks / (busiest * chip.sms),
        waves((down, across, 1), (tile.warps * 32, 1, 1), sms=chip.sms, blocks_per_sm=fit.occupancy.blocks_per_sm),
        2 * tile.bm * tile.bn * tile.bk / moved,
        gemm.flops / dram,
    )
