"""Limits per compute capability, as rows.

Sources, by field (`SOURCES` has them for a program to show): the table of technical specifications per compute
capability of the CUDA C++ Programming Guide (shared memory, registers, resident warps and blocks; grid and block
dimensions are the same in every row); its table of arithmetic throughput (results per clock); the occupancy header of
CUDA toolkit 13.0 for how resources are handed out (units, sub-partitions, barriers). 436 answers of the driver on an
H200 confirm the units for sm_90 (tests/truth/occupancy_h200.csv).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Index3 = tuple[int, int, int]

_KIB = 1024


@dataclass(frozen=True)
class Limits:
    """What one compute capability allows. Shared memory in bytes, registers as 32-bit registers.

    `shared_per_block` holds without asking, `shared_per_block_optin` with the opt-in attribute that the harness always
    sets for dynamic shared memory; `shared_reserved` is taken from every block by the system. `cluster_blocks` is the
    portable cluster size, 1 where there are no clusters.

    `register_unit` registers are the least that a warp takes and its step; each of the `sub_partitions` has its own
    share of the register file. `shared_unit` bytes is the step of shared memory. `barriers_per_sm` named barriers are
    shared by the resident blocks; None where they never limit. `fp32_lanes` and `fp16_lanes` are results per clock of
    an SM (a multiply-add is one result; fp16 as packed pairs), None where no source was found.
    """

    arch: str
    warps_per_sm: int
    blocks_per_sm: int
    shared_per_sm: int
    shared_per_block_optin: int
    shared_reserved: int
    cluster_blocks: int
    shared_unit: int
    barriers_per_sm: int | None
    fp32_lanes: int
    fp16_lanes: int | None
    shared_per_block: int = 48 * _KIB
    registers_per_sm: int = 65536
    registers_per_block: int = 65536
    registers_per_thread: int = 255
    register_unit: int = 256
    sub_partitions: int = 4
    threads_per_block: int = 1024
    block_dim: Index3 = (1024, 1024, 64)
    grid_dim: Index3 = (2**31 - 1, 65535, 65535)
    warp_size: int = 32

    @property
    def threads_per_sm(self) -> int:
        return self.warps_per_sm * self.warp_size


# arch, warps and blocks per SM, shared KiB per SM, per block with opt-in, reserved, portable cluster size, shared unit,
# barriers per SM, fp32 and fp16 results per clock
_ROWS: tuple[tuple[str, int, int, int, int, int, int, int, int | None, int, int | None], ...] = (
    ("sm_75", 32, 16, 64, 64, 0, 1, 256, None, 64, 128),
    ("sm_80", 64, 32, 164, 163, 1, 1, 128, None, 64, 256),
    ("sm_86", 48, 16, 100, 99, 1, 1, 128, None, 128, 128),
    ("sm_87", 48, 16, 164, 163, 1, 1, 128, None, 128, None),
    ("sm_89", 48, 24, 100, 99, 1, 1, 128, None, 128, 128),
    ("sm_90", 64, 32, 228, 227, 1, 8, 128, 64, 128, 256),
    ("sm_100", 64, 32, 228, 227, 1, 8, 128, 64, 128, 256),
    ("sm_103", 64, 32, 228, 227, 1, 8, 128, 64, 128, None),
    ("sm_120", 48, 24, 100, 99, 1, 8, 128, 24, 128, 128),
    ("sm_121", 48, 24, 100, 99, 1, 8, 128, 24, 128, 128),
)

LIMITS: dict[str, Limits] = {
    arch: Limits(
        arch,
        warps_per_sm=warps,
        blocks_per_sm=blocks,
        shared_per_sm=per_sm * _KIB,
        shared_per_block_optin=optin * _KIB,
        shared_reserved=reserved * _KIB,
        cluster_blocks=cluster,
        shared_unit=unit,
        barriers_per_sm=barriers,
        fp32_lanes=fp32,
        fp16_lanes=fp16,
    )
    for arch, warps, blocks, per_sm, optin, reserved, cluster, unit, barriers, fp32, fp16 in _ROWS
}

_GUIDE = "CUDA C++ Programming Guide, technical specifications per compute capability"
_THROUGHPUT = "CUDA C++ Programming Guide, throughput of native arithmetic instructions"
_OCCUPANCY = "cuda_occupancy.h of CUDA toolkit 13.0"

#: Where a field of `Limits` comes from.
SOURCES: dict[str, str] = {
    **dict.fromkeys(
        (
            "warps_per_sm",
            "blocks_per_sm",
            "shared_per_sm",
            "shared_per_block",
            "shared_per_block_optin",
            "registers_per_sm",
            "registers_per_block",
            "registers_per_thread",
            "threads_per_block",
            "block_dim",
            "grid_dim",
            "warp_size",
        ),
        _GUIDE,
    ),
    "cluster_blocks": "CUDA C++ Programming Guide, thread block clusters",
    "shared_reserved": _GUIDE + " (the difference between shared memory per SM and per block)",
    **dict.fromkeys(("register_unit", "sub_partitions", "shared_unit", "barriers_per_sm"), _OCCUPANCY),
    **dict.fromkeys(("fp32_lanes", "fp16_lanes"), _THROUGHPUT),
}


def limits(arch: str) -> Limits:
    """Return the row for `arch` ("sm_90"; the suffixes of "sm_90a" and "sm_100f" name the same limits).

    Raises KeyError with the known names when there is no such row.
    """
    base = re.sub(r"(?<=\d)[af]$", "", arch)
    if base not in LIMITS:
        raise KeyError(f"no limits known for {arch!r}; known: {', '.join(LIMITS)}")
    return LIMITS[base]
