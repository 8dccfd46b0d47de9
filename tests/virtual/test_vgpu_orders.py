"""`execute` under an order: a legal schedule, the one that was asked for, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact
from warpgauge.vgpu import GlobalMemory, Order, execute, opposed
from warpgauge.vgpu.prepare import prepare

BLOCKS, WARPS = 9, 5
SOURCE = """
extern "C" __global__ void arrive(int* blocks, int* warps, int* turns) {
  __shared__ int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[blockIdx.x * 5 + atomicAdd(&turn, 1)] = threadIdx.x / 32;
  if (threadIdx.x == 0) blocks[atomicAdd(turns, 1)] = blockIdx.x;
}

extern "C" __global__ void pass_on(volatile int* flags, int* order, int* turns) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0) while (flags[blockIdx.x - 1] == 0) {}
  __threadfence();
  order[atomicAdd(turns, 1)] = blockIdx.x;
  __threadfence();
  flags[blockIdx.x] = 1;
}
"""
ORDERS = (None, *opposed(0), Order(7))


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildArtifact:
    source = tmp_path_factory.mktemp("orders") / "kernel.cu"
    source.write_text(SOURCE)
    return compile_source(source, arch="sm_90", entries=["arrive", "pass_on"])


def run(build: BuildArtifact, entry: str, mode: str, order: Order | None) -> tuple[np.ndarray, np.ndarray]:
    memory = GlobalMemory()
    sizes = {"first": BLOCKS, "second": BLOCKS * WARPS, "turns": 1}
    arguments = [memory.add(name, np.zeros(size, np.int32)) for name, size in sizes.items()]
    execution = execute(
        build,
        entry,
        grid=(3, 3, 1),
        block=(WARPS * 32, 1, 1),
        arguments=arguments,
        memory=memory,
        mode=mode,
        order=order,
    )
    assert execution.completed and execution.coverage.complete, execution.stopped
    assert not execution.faults
    return memory.read("first"), memory.read("second")


@pytest.mark.parametrize("mode", ["run", "shadow"])
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_blocks_and_warps_run_in_the_order_asked_for(build: BuildArtifact, mode: str, order: Order | None) -> None:
    blocks, warps = run(build, "arrive", mode, order)
    # `blockIdx.x` alone: the grid is 3 x 3, and block numbers run along x first.
    expected = order.blocks(BLOCKS) if order else np.arange(BLOCKS)
    assert blocks.tolist() == (expected % 3).tolist()
    turns = order.warps(WARPS) if order else np.arange(WARPS)
    assert warps.reshape(BLOCKS, WARPS)[:3].tolist() == [turns.tolist()] * 3


def test_an_order_and_its_reverse_put_each_of_any_two_first_once() -> None:
    for seed in range(5):
        there, back = opposed(seed)
        for count in (1, 2, 3, 100):
            assert sorted(there.blocks(count)) == [*range(count)]
            assert back.blocks(count).tolist() == there.blocks(count).tolist()[::-1]
            assert back.warps(count).tolist() == there.warps(count).tolist()[::-1]
    assert Order(0).blocks(32).tolist() != Order(1).blocks(32).tolist()
    assert Order(0).blocks(32).tolist() != Order(0).warps(32).tolist()


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_blocks_that_wait_for_one_another_still_end(build: BuildArtifact, order: Order | None) -> None:
    """Started last to first, every block waits for one that has not started yet."""
    memory = GlobalMemory()
    arguments = [memory.add(name, np.zeros(BLOCKS, np.int32)) for name in ("flags", "order", "turns")]
    execution = execute(
        build, "pass_on", grid=(BLOCKS, 1, 1), block=(64, 1, 1), arguments=arguments, memory=memory, order=order
    )
    assert execution.completed and not execution.faults, (execution.stopped, execution.faults)
    assert memory.read("order").tolist() == [*range(BLOCKS)]


def test_every_order_runs_the_same_code(build: BuildArtifact) -> None:
    before = prepare(build, "arrive", "run")
    run(build, "arrive", "run", Order(3))
    assert prepare(build, "arrive", "run") is before
