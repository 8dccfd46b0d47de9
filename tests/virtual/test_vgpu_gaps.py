"""Places of a buffer that belong to no element: a read finds what nobody wrote, a write is out of bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpgauge.build import compile_source
from warpgauge.evidence import Execution
from warpgauge.vgpu import GlobalMemory, execute

ROWS, COLUMNS, PITCH = 4, 10, 16
PLACES = (np.arange(ROWS * PITCH) % PITCH) < COLUMNS


def run(folder: Path, body: str, *, read: bool = True, mode: str = "shadow") -> Execution:
    source = folder / "k.cu"
    source.write_text(f'extern "C" __global__ void k(float* x, float* y) {{\n{body}\n}}\n')
    memory = GlobalMemory()
    x = memory.add("x", np.ones(ROWS * PITCH, np.float32), elements=PLACES)
    y = memory.add("y", np.ones(ROWS * PITCH, np.float32), initialised=read, elements=PLACES)
    build = compile_source(source, sass=False)
    return execute(build, "k", grid=(ROWS, 1, 1), block=(32, 1, 1), arguments=[x, y], memory=memory, mode=mode)


INSIDE = "int i = blockIdx.x * 16 + threadIdx.x; if (threadIdx.x < 10) y[i] = x[i];"


@pytest.mark.parametrize("read", [True, False])
def test_elements_alone_are_no_finding(tmp_path: Path, read: bool) -> None:
    assert run(tmp_path, INSIDE, read=read).faults == ()


@pytest.mark.parametrize(
    ("statement", "code", "count"),
    [
        ("if (threadIdx.x < 11) y[i - threadIdx.x] = x[i];", "SAF606", 4),
        ("if (threadIdx.x < 11) y[i] = 2.0f;", "SAF603", 4),
        ("if (threadIdx.x < 11) atomicAdd(y + i, 2.0f);", "SAF603", 4),
        ("if (threadIdx.x < 3) reinterpret_cast<float4*>(y)[4 * blockIdx.x + threadIdx.x] = make_float4(1, 1, 1, 1);",
         "SAF603", 8),
    ],
)  # fmt: skip
def test_one_step_too_far(tmp_path: Path, statement: str, code: str, count: int) -> None:
    body = f"int i = blockIdx.x * 16 + threadIdx.x;\n{statement}"
    faults = [f for f in run(tmp_path, body).faults if "no element of the tensor lies there" in f.message]
    (fault,) = [f for f in faults if f.code == code]
    assert (fault.location.line, fault.count, fault.warning) == (3, count, False)
    assert "[10]" in fault.message and fault.block == (0, 0, 0)


def test_a_run_without_checking_looks_for_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, "y[threadIdx.x] = x[threadIdx.x];", mode="count").faults == ()
