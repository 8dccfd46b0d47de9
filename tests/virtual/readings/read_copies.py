"""What hardware counts for asynchronous copies, read with Nsight Compute. Three steps, from the checkout:

1. `python -m tests.virtual.readings.read_copies build DIR`, where the compiler is (no GPU);
2. `python -m tests.virtual.readings.read_copies read DIR copies_h200.json` on a machine with a GPU and Nsight Compute;
   it launches itself under `ncu` for step 3, which takes seconds;
3. `... launch DIR`: every row of `launches()` once, one block of 32 threads each.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.oracle.driver import Driver
from tests.virtual.readings import ncu

SOURCE = Path(__file__).with_name("copies.cu")
LANE = np.arange(32, dtype=np.int32)
# (from, to) of each lane, in units of the copy's bytes.
PATTERNS = {
    "rows": (LANE, LANE),
    "apart in shared": (LANE, 2 * LANE),
    "one bank": (LANE, 8 * LANE),
    "swizzled": (LANE, LANE ^ (LANE >> 3)),
    "reversed": (LANE[::-1].copy(), LANE),
    "apart in global": (3 * LANE, LANE),
    "one source": (0 * LANE, LANE),
    "rows of eight": (LANE % 8 + 64 * (LANE // 8), LANE % 8 ^ (LANE // 8) | 8 * (LANE // 8)),
    # What kernels do with 16 bytes: rows of a tile, in rows of 64 or 128 bytes, as they are, padded or swizzled.
    "four a row": (LANE % 4 + 64 * (LANE // 4), LANE),
    "four a row, padded": (LANE % 4 + 64 * (LANE // 4), LANE % 4 + 5 * (LANE // 4)),
    "four a row, swizzled": (LANE % 4 + 64 * (LANE // 4), LANE % 4 ^ (LANE // 8) | 4 * (LANE // 4)),
    "four a row, 64 bytes off": (LANE % 4 + 68 * (LANE // 4), LANE % 4 + 5 * (LANE // 4)),
    "eight a row, padded": (LANE % 8 + 64 * (LANE // 8), LANE % 8 + 9 * (LANE // 8)),
    "eight a row, 16 bytes off": (1 + LANE % 8 + 64 * (LANE // 8), LANE % 8 + 9 * (LANE // 8)),
    "one row, to an odd place": (LANE, 1 + LANE),
}
MASKS = {"all": 0xFFFFFFFF, "odd": 0xAAAAAAAA, "first eleven": 0x7FF}
KERNELS = ("ca_4", "ca_8", "ca_16", "cg_16")
COUNTERS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "copy_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
    "copy_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
    "fetched_past_l1": "smsp__sass_l1tex_m_xbar2l1tex_read_sectors_mem_global_op_ldgsts_cache_bypass.sum",
}


def launches() -> Iterator[tuple[str, str, str]]:
    """(kernel, pattern, mask): every kernel with every pattern, partial masks and zero fill with two of them."""
    for kernel in KERNELS:
        yield from ((kernel, pattern, "all") for pattern in PATTERNS)
        for pattern in ("rows", "one bank"):
            yield from ((kernel, pattern, mask) for mask in ("odd", "first eleven"))
            yield from ((f"{kernel}_zeros", pattern, mask) for mask in MASKS)


def buffers(pattern: str) -> dict[str, np.ndarray]:
    start, end = PATTERNS[pattern]
    return {"in": np.arange(1 << 14, dtype=np.int32), "from": start, "to": end}


def build(folder: Path) -> None:
    from warpgauge.build import compile_source

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "copies.cubin").write_bytes(compile_source(SOURCE).cubin)


def launch(folder: Path) -> None:
    driver = Driver()
    code = (folder / "copies.cubin").read_bytes()
    for kernel, pattern, mask in launches():
        scalars = [MASKS[mask].to_bytes(4, "little")]
        driver.run(code, kernel, buffers(pattern), scalars, grid=(1, 1, 1), block=(32, 1, 1))


def read(folder: Path, out: Path) -> None:
    me = [sys.executable, "-m", "tests.virtual.readings.read_copies", "launch", str(folder)]
    found = ncu.counters(me, list(COUNTERS.values()), [kernel for kernel, _, _ in launches()])
    lines = [[*plan, *counts] for plan, counts in zip(launches(), found, strict=True)]
    out.write_text(ncu.as_json(Driver().name, list(COUNTERS), lines))


if __name__ == "__main__":
    {"build": build, "launch": launch, "read": read}[sys.argv[1]](*map(Path, sys.argv[2:]))
