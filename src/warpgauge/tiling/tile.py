"""A block tile of a matrix product: what it takes of an SM, and why it may not fit.

A block computes bm x bn of C in steps of bk, with `stages` copies of its slices of A and B in shared memory; its warps
share C as a grid of equal warp tiles. Registers are predicted: sums, fragments for two steps of the instruction, and
an allowance for addresses and the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from warpgauge.arch import Demand, Occupancy, occupancy

from .gemm import Gemm

#: Registers of a thread beside sums and fragments: addresses, counters, predicates. An assumption.
OTHER_REGISTERS = 40
_REGISTER_STEP = 8
_VECTOR = 16
_LANES = 32
# Rows x columns of C that a warp's smallest piece covers: an m16n8 instruction, or 8 x 4 lanes.
_TENSOR_PIECE, _LANE_PIECE = (16, 8), (8, 4)


@dataclass(frozen=True, order=True)
class BlockTile:
    """bm x bn x bk with `stages` stages and `warps` warps."""

    bm: int
    bn: int
    bk: int
    stages: int
    warps: int

    def __str__(self) -> str:
        return f"{self.bm}x{self.bn}x{self.bk}, {self.stages} stages, {self.warps} warps"


@dataclass(frozen=True)
class Reason:
    """Why a tile does not fit: the resource or rule, and a sentence with the numbers."""

    limit: str
    words: str


@dataclass(frozen=True)
class Fit:
    """What a tile asks for. `warp_m` x `warp_n` is a warp's part of C, `shared` in bytes per block, `registers` per
    thread (predicted). `occupancy` is None and `reasons` says why where the tile does not fit.
    """

    tile: BlockTile
    warp_m: int
    warp_n: int
    shared: int
    registers: int
    occupancy: Occupancy | None
    reasons: tuple[Reason, ...] = ()


def slice_bytes(gemm: Gemm, tile: BlockTile) -> int:
    """Bytes of A and B that a block loads for one step of bk."""
    return (tile.bm + tile.bn) * tile.bk * gemm.element_bytes


def warp_tile(gemm: Gemm, tile: BlockTile) -> tuple[int, int] | None:
    """The warp's part of C with the least to read from shared memory; None where the warps cannot share C evenly."""
    rows, columns = _TENSOR_PIECE if gemm.tensor else _LANE_PIECE
    parts = [
        (tile.bm // down, tile.bn // (tile.warps // down))
        for down in range(1, tile.warps + 1)
        if tile.warps % down == 0 and tile.bm % (down * rows) == 0 and tile.bn % (tile.warps // down * columns) == 0
    ]
    return min(parts, key=lambda part: (part[0] + part[1], part), default=None)


def registers(gemm: Gemm, warp_m: int, warp_n: int) -> int:
    """Registers per thread, predicted, in steps of 8 as ptxas takes them."""
    sums = warp_m * warp_n * gemm.sum_bytes / 4 / _LANES
    if gemm.tensor:
        fragments = 2 * (warp_m + warp_n) * gemm.step * gemm.element_bytes / 4 / _LANES
    else:
        fragments = 2 * (warp_m / _LANE_PIECE[0] + warp_n / _LANE_PIECE[1])
    return -int(-(sums + fragments + OTHER_REGISTERS) // _REGISTER_STEP) * _REGISTER_STEP


def fit(gemm: Gemm, tile: BlockTile) -> Fit:
    """What a tile takes of an SM, or every reason why it does not fit."""
    limit, reasons = gemm.limit, []
    part = warp_tile(gemm, tile)
    if gemm.tensor and not gemm.step:
        reasons.append(Reason("instruction", f"{limit.arch} has no mma.sync for {gemm.dtype}"))
    elif tile.bk % max(1, gemm.step):
        reasons.append(Reason("instruction", f"bk {tile.bk} is no multiple of the {gemm.step} k of an mma.sync"))
    if tile.bk * gemm.element_bytes % _VECTOR:
        row = tile.bk * gemm.element_bytes
        reasons.append(Reason("alignment", f"rows of {row} bytes are no whole number of {_VECTOR}-byte copies"))
    if part is None:
        rows, columns = _TENSOR_PIECE if gemm.tensor else _LANE_PIECE
        words = f"{tile.warps} warps cannot share {tile.bm} x {tile.bn} as equal pieces of {rows} x {columns}"
        reasons.append(Reason("instruction", words))
    if tile.warps * _LANES > limit.threads_per_block:
        words = f"{tile.warps * _LANES} threads, a block has at most {limit.threads_per_block}"
        reasons.append(Reason("threads", words))
    # Without cp.async the next slice waits in registers, which is one slice ahead.
    if tile.stages > 2 and int(limit.arch.removeprefix("sm_")) < 80:
        reasons.append(Reason("stages", f"{limit.arch} has no cp.async, which {tile.stages} stages need"))
    shared = tile.stages * slice_bytes(gemm, tile)
    if shared > limit.shared_per_block_optin:
        words = f"{tile.stages} stages of {slice_bytes(gemm, tile):,} bytes are {shared:,}"
        words += f", a block of {limit.arch} has {limit.shared_per_block_optin:,}"
        reasons.append(Reason("shared memory", words))
    needed = registers(gemm, *part) if part else 0
    if part and needed > limit.registers_per_thread:
        sums = part[0] * part[1] * gemm.sum_bytes // 4 // _LANES
        words = f"{needed} registers per thread, {sums} of them sums; a thread has {limit.registers_per_thread}"
        reasons.append(Reason("registers", words))
    found = None
    if part and not reasons:
        found = occupancy(limit, Demand(tile.warps * _LANES, needed, dynamic_shared=shared))
        if found.refused:
            reasons, found = [Reason(found.limited_by[0], found.refused)], None
    warp_m, warp_n = part or (0, 0)
    return Fit(tile, warp_m, warp_n, shared, needed, found, tuple(reasons))
