"""Limits per compute capability, as rows.

Source: CUDA C++ Programming Guide, "Compute Capabilities", table of technical specifications per compute capability
(shared memory, registers, resident warps and blocks; grid and block dimensions are the same in every row).
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
    """

    arch: str
    warps_per_sm: int
    blocks_per_sm: int
    shared_per_sm: int
    shared_per_block_optin: int
    shared_reserved: int
    cluster_blocks: int = 1
    shared_per_block: int = 48 * _KIB
    registers_per_sm: int = 65536
    registers_per_block: int = 65536
    registers_per_thread: int = 255
    threads_per_block: int = 1024
    block_dim: Index3 = (1024, 1024, 64)
    grid_dim: Index3 = (2**31 - 1, 65535, 65535)
    warp_size: int = 32

    @property
    def threads_per_sm(self) -> int:
        return self.warps_per_sm * self.warp_size


# arch, warps per SM, blocks per SM, shared per SM, per block with opt-in, reserved per block, portable cluster size
_ROWS: tuple[tuple[str, int, int, int, int, int, int], ...] = (
    ("sm_75", 32, 16, 64, 64, 0, 1),
    ("sm_80", 64, 32, 164, 163, 1, 1),
    ("sm_86", 48, 16, 100, 99, 1, 1),
    ("sm_87", 48, 16, 164, 163, 1, 1),
    ("sm_89", 48, 24, 100, 99, 1, 1),
    ("sm_90", 64, 32, 228, 227, 1, 8),
    ("sm_100", 64, 32, 228, 227, 1, 8),
    ("sm_103", 64, 32, 228, 227, 1, 8),
    ("sm_120", 48, 24, 100, 99, 1, 8),
    ("sm_121", 48, 24, 100, 99, 1, 8),
)

LIMITS: dict[str, Limits] = {
    arch: Limits(arch, warps, blocks, per_sm * _KIB, optin * _KIB, reserved * _KIB, cluster)
    for arch, warps, blocks, per_sm, optin, reserved, cluster in _ROWS
}


def limits(arch: str) -> Limits:
    """Return the row for `arch` ("sm_90"; the suffixes of "sm_90a" and "sm_100f" name the same limits).

    Raises KeyError with the known names when there is no such row.
    """
    base = re.sub(r"(?<=\d)[af]$", "", arch)
    if base not in LIMITS:
        raise KeyError(f"no limits known for {arch!r}; known: {', '.join(LIMITS)}")
    return LIMITS[base]
