"""Read the counters of `wmma.cu` (tiles, and rows of ldmatrix and stmatrix) on a GPU. Three steps, from the checkout:

1. `python -m tests.virtual.readings.read_wmma compile out/wmma.cubin`, where the compiler is (no GPU);
2. `python -m tests.virtual.readings.read_wmma read out/wmma.cubin wmma_h200.json` on a machine with a GPU and Nsight
   Compute; it launches itself under `ncu` for step 3, which takes seconds;
3. `... launch out/wmma.cubin`: every row of `ROWS` once, one block of 32 threads each.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tests.oracle.driver import Driver
from tests.virtual.readings import ncu

COUNTERS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}
# Strides by the bytes of an element: lines without a gap, padded by 16 bytes, and a multiple of all banks.
_STRIDES = {1: (16, 32, 48, 128), 2: (16, 24, 40, 64), 4: (16, 20, 32, 36)}
_FACTORS = ("a_row", "a_col", "b_row", "b_col", "tall_a_row", "byte_a_row", "byte_a_col")
_SUMS = ("f32_row", "f32_col", "f16_row", "f16_col")
_MATRICES = ("x1", "x2", "x4", "x4_trans")
IN_BYTES, OUT_BYTES = 1 << 16, 1 << 16


def _size(kernel: str) -> int:
    return 1 if "byte" in kernel else 4 if "f32" in kernel else 2


def rows() -> list[tuple[str, int]]:
    """(kernel, ldm) of every launch, in order."""
    names = [f"{space}_{name}" for space in ("shared", "global") for name in _FACTORS]
    names += [f"{space}_{op}_{name}" for space in ("shared", "global") for op in "cd" for name in _SUMS]
    names += [f"{op}_{name}" for op in ("ldmatrix", "stmatrix") for name in _MATRICES]
    return [(name, stride) for name in names for stride in _STRIDES[_size(name)]]


def inputs() -> dict[str, np.ndarray]:
    """Small numbers in every format: the contents decide nothing."""
    return {"in": np.zeros(IN_BYTES, np.uint8), "out": np.zeros(OUT_BYTES, np.uint8)}


def compile_here(cubin: Path) -> None:
    from warpgauge.build import compile_source  # only where the compiler is

    cubin.parent.mkdir(parents=True, exist_ok=True)
    cubin.write_bytes(compile_source(Path(__file__).with_name("wmma.cu"), arch="sm_90").cubin)


def launch(cubin: Path) -> None:
    driver = Driver()
    for kernel, stride in rows():
        scalars = [stride.to_bytes(4, "little")]
        driver.run(cubin.read_bytes(), kernel, inputs(), scalars, grid=(1, 1, 1), block=(32, 1, 1))


def read(cubin: Path, out: Path) -> None:
    me = [sys.executable, "-m", "tests.virtual.readings.read_wmma", "launch", str(cubin)]
    found = ncu.counters(me, list(COUNTERS.values()), [kernel for kernel, _ in rows()])
    lines = [[kernel, stride, *counts] for (kernel, stride), counts in zip(rows(), found, strict=True)]
    out.write_text(ncu.as_json(Driver().name, list(COUNTERS), lines))


if __name__ == "__main__":
    step, *paths = sys.argv[1:]
    {"compile": compile_here, "launch": launch, "read": read}[step](*map(Path, paths))
