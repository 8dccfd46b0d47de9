"""What Nsight Compute reads for single wmma loads and stores on an H200, predicted exactly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.virtual.readings.ncu import table
from tests.virtual.readings.read_wmma import COUNTERS, inputs, rows
from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import GlobalMemory, execute

FOLDER = Path(__file__).parent / "readings"
READINGS = FOLDER / "wmma_h200.json"


@pytest.fixture(scope="module")
def build() -> BuildArtifact:
    return compile_source(FOLDER / "wmma.cu")


def launch(build: BuildArtifact, kernel: str, stride: int) -> Execution:
    memory = GlobalMemory()
    arguments = [*(memory.add(name, data) for name, data in inputs().items()), stride]
    return execute(build, kernel, grid=(1, 1, 1), block=(32, 1, 1), arguments=arguments, memory=memory, mode="count")


def test_the_lanes_of_every_kernel_are_known(build: BuildArtifact) -> None:
    """Each kernel's fragment is executed by its tile's own accesses, whatever stands around it."""
    first = dict(reversed(rows()))
    done = {kernel: launch(build, kernel, stride) for kernel, stride in first.items()}
    assert [kernel for kernel, run in done.items() if not run.completed] == []
    assert [kernel for kernel, run in done.items() if any(s.provenance.detail for s in run.sites)] == []


def test_every_reading_is_predicted(build: BuildArtifact) -> None:
    readings = json.loads(READINGS.read_text())
    assert [tuple(row[:2]) for row in readings["rows"]] == rows()
    wrong = []
    for kernel, stride, *read in readings["rows"]:
        counters = launch(build, kernel, stride).counters
        predicted = [getattr(counters, name) for name in readings["counters"]]
        if predicted != read:
            wrong.append((kernel, stride, dict(zip(COUNTERS, zip(predicted, read, strict=True), strict=True))))
    assert wrong == []


def test_what_ncu_prints_is_read_by_its_columns() -> None:
    names = list(COUNTERS.values())
    head = ['"ID"', '"Kernel Name"', *(f'"{name}"' for name in reversed(names))]
    lines = ["==PROF== Connected", ",".join(head), ",".join(['""'] * len(head))]
    for n, (kernel, _) in enumerate(rows()):
        values = [f'"{1000 * k + n:,}"' for k in reversed(range(len(names)))]
        lines.append(",".join([f'"{n}"', f'"{kernel}"', *values]))
    found = table("\n".join(lines), names, [kernel for kernel, _ in rows()])
    assert found[7] == [1000 * k + 7 for k in range(len(names))]
