"""Cooperative launches and cooperative groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpgauge.build import compile_source
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import GlobalMemory, execute

SOURCE = Path(__file__).parent / "kernels" / "cooperative.cu"


@pytest.fixture(scope="module")
def build() -> BuildArtifact:
    return compile_source(SOURCE)


def grid_sync(build: BuildArtifact, blocks: int, cooperative: bool) -> tuple[Execution, np.ndarray]:
    n = 64 * blocks
    memory = GlobalMemory()
    a = memory.add("a", np.arange(n, dtype=np.float32))
    b = memory.add("b", np.zeros(n, np.float32), initialised=False)
    c = memory.add("c", np.zeros(n, np.float32), initialised=False)
    execution = execute(
        build,
        "gs",
        grid=(blocks, 1, 1),
        block=(64, 1, 1),
        arguments=[a, b, c, n],
        memory=memory,
        cooperative=cooperative,
    )
    return execution, memory.read("c")


def test_grid_barrier_orders_all_blocks(build: BuildArtifact) -> None:
    execution, c = grid_sync(build, 8, True)
    assert execution.completed
    assert execution.faults == ()
    assert np.array_equal(c, 2 * ((np.arange(512) + 64) % 512))


def test_grid_barrier_outside_a_cooperative_launch_traps(build: BuildArtifact) -> None:
    execution, _ = grid_sync(build, 8, False)
    assert [f.code for f in execution.faults] == ["SAF613"]


def test_more_blocks_than_can_be_resident(build: BuildArtifact) -> None:
    with pytest.raises(WarpgaugeError, match="PRB904"):
        grid_sync(build, 133, True)


def test_tiles_and_coalesced_groups(build: BuildArtifact) -> None:
    memory = GlobalMemory()
    values = np.arange(64, dtype=np.int32)
    a, out = memory.add("a", values), memory.add("out", np.zeros(64, np.int32))
    execution = execute(build, "tp", grid=(1, 1, 1), block=(64, 1, 1), arguments=[a, out], memory=memory)
    assert execution.faults == ()
    want = values.reshape(4, 16).sum(axis=1).repeat(16)
    for warp in (range(32), range(32, 64)):
        chosen = [t for t in warp if t % 3 == 0]
        for rank, t in enumerate(chosen):
            want[t] += 1000 * rank + 100000 * len(chosen)
    assert np.array_equal(memory.read("out"), want)
