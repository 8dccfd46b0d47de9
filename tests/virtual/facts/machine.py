"""What holds on every architecture, and how many warps of a kernel an SM holds (F-9, F-12)."""

from __future__ import annotations

from functools import partial

import numpy as np

from warpgauge.arch import LIMITS, Demand, limits, occupancy

from .execution import built, launched, marked, of_buffer
from .record import Fact


def cost_of_a_row_and_a_column(arch: str) -> tuple[int, int, int]:
    """(wavefronts of a row of 32 words, of a column of 32 rows of 32 words, sectors of 128 bytes)."""
    tiles = built("tiles.cu", ("row<half2>", "column<float, 32>"), arch=arch)
    patterns = built("patterns.cu", ("gather<float>",), arch=arch)
    counted = [
        marked(tiles, launched(tiles, entry), "read").wavefronts for entry in ("row<half2>", "column<float, 32>")
    ]
    line = launched(patterns, "gather<float>", np.arange(32, dtype=np.int32))
    return counted[0], counted[1], of_buffer(line, "a").sectors


def residency(arch: str, threads: int, registers: int) -> tuple[int, float]:
    found = occupancy(limits(arch), Demand(threads, registers))
    return found.warps_per_sm, found.occupancy


def resident(arch: str, threads: int, registers: int, warps: int, share: float) -> Fact:
    claim = f"{arch}: {threads} threads of {registers} registers are {warps} warps, {100 * share:g} %"
    return Fact("F-12", claim, partial(residency, arch, threads, registers), (warps, share))


FACTS = (
    *(
        Fact(
            "F-9",
            f"{arch}: 32 banks of 4 bytes, four sectors in 128 bytes",
            partial(cost_of_a_row_and_a_column, arch),
            (1, 32, 4),
        )
        for arch in LIMITS
    ),
    resident("sm_80", 256, 29, 64, 1.0),
    resident("sm_80", 256, 37, 48, 0.75),
    resident("sm_80", 256, 40, 48, 0.75),
    resident("sm_80", 256, 41, 40, 0.625),
    resident("sm_80", 512, 41, 32, 0.5),
    resident("sm_80", 256, 32, 64, 1.0),
    resident("sm_80", 256, 78, 24, 0.375),
    resident("sm_86", 256, 78, 24, 0.5),
    resident("sm_89", 256, 78, 24, 0.5),
    resident("sm_80", 128, 78, 24, 0.375),
    resident("sm_86", 128, 78, 24, 0.5),
    resident("sm_90", 192, 104, 12, 0.1875),
    resident("sm_75", 1024, 64, 32, 1.0),
    resident("sm_90", 256, 255, 8, 0.125),
)
