"""Counters of 2,073 launches on an H200: every width, 39 address patterns, seven lane masks, seven kinds of atomic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact
from warpgauge.vgpu import GlobalMemory, execute

FOLDER = Path(__file__).parent / "readings"
READINGS: dict[str, Any] = json.loads((FOLDER / "patterns_h200.json").read_text())
KERNELS = sorted({row[0] for row in READINGS["rows"]})
# 64-bit shared atomics run as a compare-and-swap loop on hardware: counted, but marked as assumed.
LOOPS = ("a_add64",)


@pytest.fixture(scope="module")
def build() -> BuildArtifact:
    return compile_source(FOLDER / "patterns.cu")


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k not in LOOPS])
def test_every_reading_of_a_kernel_is_predicted(build: BuildArtifact, kernel: str) -> None:
    names = READINGS["counters"]
    wrong = []
    for _, pattern, mask, *read in (row for row in READINGS["rows"] if row[0] == kernel):
        memory = GlobalMemory()
        out = memory.add("out", np.zeros(65536, np.uint8))
        index = memory.add("index", np.array(READINGS["patterns"][pattern], np.int32))
        arguments = [out, index, READINGS["masks"][mask]]
        execution = execute(
            build, kernel, grid=(1, 1, 1), block=(32, 1, 1), arguments=arguments, memory=memory, mode="count"
        )
        predicted = [getattr(execution.counters, name) for name in names]
        if predicted != read:
            wrong.append((pattern, mask, dict(zip(names, zip(predicted, read, strict=True), strict=True))))
    assert wrong == []


def test_a_looping_atomic_is_marked_as_assumed(build: BuildArtifact) -> None:
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(65536, np.uint8))
    index = memory.add("index", np.arange(32, dtype=np.int32))
    execution = execute(
        build,
        LOOPS[0],
        grid=(1, 1, 1),
        block=(32, 1, 1),
        arguments=[out, index, 0xFFFFFFFF],
        memory=memory,
        mode="count",
    )
    (atomic,) = [s for s in execution.sites if s.op == "atomic"]
    assert atomic.provenance.detail == "rule assumed"
