"""The four modes: the same results and counters, and what each adds."""

from __future__ import annotations

import numpy as np
import pytest

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import GlobalMemory, execute

SOURCE = """
extern "C" __global__ void reverse(const float* in, float* out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[63 - t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = 2.0f * s[t];
}
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildArtifact:
    path = tmp_path_factory.mktemp("modes") / "reverse.cu"
    path.write_text(SOURCE)
    return compile_source(path, entries=["reverse"])


def run(build: BuildArtifact, mode: str, threads: int = 1) -> tuple[Execution, np.ndarray]:
    memory = GlobalMemory()
    a = memory.add("in", np.arange(1000, dtype=np.float32))
    b = memory.add("out", np.zeros(1000, np.float32), initialised=False)
    execution = execute(
        build,
        "reverse",
        grid=(16, 1, 1),
        block=(64, 1, 1),
        arguments=[a, b, 1000],
        memory=memory,
        mode=mode,
        threads=threads,
    )
    return execution, memory.read("out")


@pytest.mark.parametrize("mode", ["count", "shadow", "trace"])
def test_modes_agree(build: BuildArtifact, mode: str) -> None:
    plain, result = run(build, "run")
    execution, same = run(build, mode)
    assert np.array_equal(result, same)
    assert execution.thread_instructions == plain.thread_instructions
    assert plain.sites == ()
    assert execution.counters == run(build, "count")[0].counters
    assert execution.checked is (mode == "shadow")


def test_threads_change_nothing(build: BuildArtifact) -> None:
    (one, first), (two, second) = run(build, "count", 1), run(build, "count", 2)
    assert one == two
    assert np.array_equal(first, second)


def test_trace_lists_every_request(build: BuildArtifact) -> None:
    execution, _ = run(build, "trace")
    requests = execution.requests
    # 16 blocks of 2 warps; the last block's second warp has 8 lanes below 1000 only in its first load and store.
    assert len(requests) == sum(site.requests for site in execution.sites)
    first = requests[0]
    assert (first.space, first.op, first.block, first.warp) == ("global", "load", (0, 0, 0), 0)
    assert first.location.line == 5
    assert [b - a for a, b in zip(first.lanes, first.lanes[1:], strict=False)] == [4] * 31
    shared = next(r for r in requests if r.space == "shared" and r.op == "store")
    assert shared.lanes[0] == 4 * 63
    assert shared.lanes[31] == 4 * 32
    tail = [r for r in requests if r.op == "load" and r.space == "global" and None in r.lanes]
    assert [sum(lane is not None for lane in r.lanes) for r in tail] == [8]


def test_only_trace_mode_keeps_requests(build: BuildArtifact) -> None:
    assert run(build, "shadow")[0].requests == ()
