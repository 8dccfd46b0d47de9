"""Read the counters of `wmma.cu` on a GPU. Three steps, from the checkout:

1. `python -m tests.virtual.readings.read_wmma compile out/wmma.cubin`, where the compiler is (no GPU);
2. `python -m tests.virtual.readings.read_wmma read out/wmma.cubin wmma_h200.json` on a machine with a GPU and Nsight
   Compute; it launches itself under `ncu` for step 3, which takes seconds;
3. `... launch out/wmma.cubin`: every row of `ROWS` once, one block of 32 threads each.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tests.oracle.driver import Driver

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
IN_BYTES, OUT_BYTES = 1 << 16, 1 << 16


def _size(kernel: str) -> int:
    return 1 if "byte" in kernel else 4 if "f32" in kernel else 2


def rows() -> list[tuple[str, int]]:
    """(kernel, ldm) of every launch, in order."""
    names = [f"{space}_{name}" for space in ("shared", "global") for name in _FACTORS]
    names += [f"{space}_{op}_{name}" for space in ("shared", "global") for op in "cd" for name in _SUMS]
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
    if shutil.which("ncu") is None:
        raise SystemExit("ncu (Nsight Compute) is not on PATH: there is nothing to read counters with")
    metrics = ",".join(COUNTERS.values())
    me = [sys.executable, "-m", "tests.virtual.readings.read_wmma", "launch", str(cubin)]
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics", metrics, *me]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"ncu ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    out.write_text(as_json(table(done.stdout), Driver().name, _version()))


def table(text: str) -> list[list[int]]:
    """One row of counters per launch, from what ncu prints: its own lines, then CSV with a row of units."""
    start = text.index('"ID"')
    records = list(csv.DictReader(io.StringIO(text[start:])))[1:]
    expected = rows()
    if [r["Kernel Name"].split("(")[0] for r in records] != [kernel for kernel, _ in expected]:
        raise SystemExit(f"ncu reports {len(records)} launches, not the {len(expected)} expected ones")
    return [[round(float(r[name].replace(",", ""))) for name in COUNTERS.values()] for r in records]


def _version() -> str:
    lines = subprocess.run(["ncu", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    return next(line for line in lines if "Version" in line).strip()


def as_json(counts: list[list[int]], device: str, version: str) -> str:
    """JSON with one line a launch."""
    lines = [json.dumps([kernel, stride, *found]) for (kernel, stride), found in zip(rows(), counts, strict=True)]
    head = {
        "device": device,
        "date": datetime.now(UTC).date().isoformat(),
        "protocol": f"Nsight Compute ({version}), --clock-control none, one block of 32 threads per row",
        "counters": list(COUNTERS),
    }
    return json.dumps(head)[:-1] + ',\n"rows": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    step, *paths = sys.argv[1:]
    {"compile": compile_here, "launch": launch, "read": read}[step](*map(Path, paths))
