"""Lanes that part: paths, shares and costs of kernels whose figures can be worked out by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.unit.hand import case
from tests.virtual.engines import divergence_differences, run_both
from warpgauge.build import compile_source
from warpgauge.contracts.divergence import active_share, judge
from warpgauge.evidence import Branch, BuildArtifact, Execution
from warpgauge.problem.settings import CONTRACTS
from warpgauge.vgpu import GlobalMemory, execute

SOURCE = Path(__file__).parent / "kernels" / "divergence" / "branches.cu"
SIZE = 4096
TRIPS = 8
WITHOUT_CALLS = (
    "by_lane", "by_warp", "four_ways", "jump_table", "both_conditions", "trip_count", "a_select", "early_return",
    "nested", "breaks", "warp_sync_in_both", "guarded", "grid_stride",
)  # fmt: skip


@cache
def build() -> BuildArtifact:
    return compile_source(SOURCE)


def run(
    entry: str, *, grid: int = 2, block: int = 64, n: int = TRIPS, mode: str = "count", threads: int = 1
) -> Execution:
    memory = GlobalMemory()
    y = memory.add("y", np.zeros(SIZE, np.float32))
    x = memory.add("x", np.linspace(1, 2, SIZE, dtype=np.float32))
    execution = execute(
        build(), entry, grid=(grid, 1, 1), block=(block, 1, 1), arguments=[y, x, n], memory=memory, mode=mode,
        threads=threads,
    )  # fmt: skip
    assert execution.completed and not execution.faults, execution
    return execution


def line_of(mark: str) -> int:
    lines = SOURCE.read_text().splitlines()
    (found,) = [n for n, line in enumerate(lines, 1) if line.endswith(f"// {mark}")]
    return found


def split(execution: Execution) -> list[Branch]:
    return [branch for branch in execution.branches if branch.splits]


def codes(execution: Execution) -> list[str]:
    return [d.code for d in judge(case(execution), CONTRACTS["divergence"].sound).diagnostics]


def test_a_condition_on_the_lane_has_two_paths() -> None:
    execution = run("by_lane")
    (branch,) = split(execution)
    assert (branch.location.line, branch.paths, branch.executions, branch.splits) == (line_of("by_lane"), 2, 4, 4)
    assert branch.worst is not None
    assert branch.worst.ways == (0, 1) * 16
    # Everything between the branch and the join runs with half of the lanes, and nothing else does.
    idle = sum(line.thread_slots - line.thread_instructions for line in execution.lines)
    assert branch.idle_slots == idle > 0
    result = judge(case(execution), CONTRACTS["divergence"].sound)
    assert (str(result.verdict), result.asked, codes(execution)) == ("FAIL", 0.75, ["UTL401"])
    assert result.measured is not None and 0.5 < result.measured < 0.75
    (diagnostic,) = result.diagnostics
    assert "2 ways; 4 of 4 executions" in diagnostic.message
    assert "0, 2 .. 30 | 1, 3 .. 31" in diagnostic.message
    assert "threadIdx.x / 32" in diagnostic.help


def test_a_condition_on_the_warp_has_one() -> None:
    execution = run("by_warp")
    assert split(execution) == []
    assert {branch.paths for branch in execution.branches} == {1}
    assert (active_share(execution.lines), codes(execution)) == (1.0, [])


@pytest.mark.parametrize("entry", ["four_ways", "jump_table"])
def test_a_switch_over_four_lanes_has_four(entry: str) -> None:
    execution = run(entry)
    (branch,) = split(execution)
    assert (branch.paths, branch.splits, branch.executions) == (4, 4, 4)
    assert branch.worst is not None and len(set(branch.worst.ways[:4])) == 4
    assert branch.worst.ways == branch.worst.ways[:4] * 8
    if entry == "four_ways":
        assert (branch.location.line, codes(execution)) == (line_of("four_ways"), ["UTL401"])


def test_both_conditions_of_an_and_lead_two_ways() -> None:
    assert {branch.paths for branch in split(run("both_conditions"))} == {2}


def test_a_loop_that_lanes_leave_one_by_one() -> None:
    execution = run("trip_count", grid=1, block=32)
    (branch,) = split(execution)
    # 32 turns; at all but the last one lane leaves and the others go on.
    assert (branch.location.line, branch.executions, branch.splits, branch.paths) == (line_of("trip_count"), 32, 31, 2)
    (loop,) = [line for line in execution.lines if line.location.line == line_of("trip_count")]
    body = [i for i in execution.branches if i.splits]
    assert body == [branch]
    # Turn k has 32 - k lanes: 528 of 1,024, so the line's share is near 33 / 64 (what precedes the loop is whole).
    assert loop.thread_instructions / loop.thread_slots == pytest.approx(33 / 64, abs=0.03)
    assert branch.idle_slots == loop.thread_slots - loop.thread_instructions
    assert codes(execution) == ["UTL401"]


def test_a_select_is_no_branch() -> None:
    execution = run("a_select")
    assert (execution.branches, active_share(execution.lines), codes(execution)) == ((), 1.0, [])


def test_lanes_that_have_returned_are_idle() -> None:
    execution = run("early_return")
    (branch,) = split(execution)
    assert (branch.location.line, branch.paths) == (line_of("early_return"), 2)
    idle = sum(line.thread_slots - line.thread_instructions for line in execution.lines)
    assert 0 < branch.idle_slots <= idle
    assert active_share(execution.lines) < 0.75


def test_nested_branches_each_pay_for_their_own() -> None:
    execution = run("nested", grid=1, block=32)
    outer, inner = sorted(split(execution), key=lambda b: b.location.line)
    assert (outer.location.line, inner.location.line) == (line_of("outer"), line_of("inner"))
    assert inner.worst is not None and outer.worst is not None
    assert inner.worst.ways == (None, 0, None, 1) * 8
    assert outer.worst.ways == (0, 1) * 16
    idle = sum(line.thread_slots - line.thread_instructions for line in execution.lines)
    assert outer.idle_slots + inner.idle_slots == idle
    # In the inner loop 8 lanes wait for the inner branch, 16 for the outer one.
    assert 0 < inner.idle_slots < outer.idle_slots


@pytest.mark.parametrize(("block", "threads"), [(20, 20), (33, 33), (64, 64)])
def test_a_warp_with_fewer_threads_is_no_divergence(block: int, threads: int) -> None:
    execution = run("by_warp", grid=1, block=block)
    assert active_share(execution.lines) == 1.0
    warps = -(-threads // 32)
    first = min(execution.lines, key=lambda line: (not line.location.line, line.location))
    assert first.thread_slots * warps == first.warp_instructions * threads


@pytest.mark.parametrize("entry", ["guarded", "grid_stride"])
def test_a_tail_splits_one_warp_with_or_without_a_grid_stride_loop(entry: str) -> None:
    n = 1000
    execution = run(entry, grid=8 if entry == "guarded" else 2, block=128, n=n)
    assert sum(branch.splits for branch in execution.branches) == 1
    assert codes(execution) == []
    loads = [site for site in execution.sites if site.op == "load"]
    assert sum(site.sectors for site in loads) == n * 4 // 32
    assert all(site.efficiency == 1.0 for site in execution.sites)


def test_functions_and_recursion_count_like_the_rest() -> None:
    execution = run("calls")
    (branch,) = split(execution)
    # Lanes of both sides meet in the function, which runs once for all of them.
    assert (branch.location.line, branch.paths) == (line_of("calls"), 2)
    deep = run("recursion")
    assert any(branch.splits for branch in deep.branches)
    for e in (execution, deep):
        assert sum(line.thread_instructions for line in e.lines) == e.thread_instructions
        assert all(line.thread_instructions <= line.thread_slots for line in e.lines)


@pytest.mark.parametrize("entry", [*WITHOUT_CALLS, "calls", "recursion"])
def test_every_mode_and_any_number_of_threads_count_the_same(entry: str) -> None:
    count = run(entry, grid=4, block=72)
    for mode in ("run", "shadow", "trace"):
        other = run(entry, grid=4, block=72, mode=mode)
        assert (other.lines, other.branches) == (count.lines, count.branches), mode
    two = run(entry, grid=4, block=72, threads=2)
    assert (two.lines, two.branches) == (count.lines, count.branches)
    idle = sum(line.thread_slots - line.thread_instructions for line in count.lines)
    assert sum(branch.idle_slots for branch in count.branches) <= idle


@pytest.mark.parametrize("block", [64, 52])
@pytest.mark.parametrize("entry", WITHOUT_CALLS)
def test_compiled_branches_on_both_engines(entry: str, block: int) -> None:
    text = build().ptx
    buffers = {"y": np.zeros(SIZE, np.float32), "x": np.linspace(1, 2, SIZE, dtype=np.float32)}
    both = run_both(text, entry, buffers, grid=(2, 1, 1), block=(block, 1, 1), scalars=(TRIPS,))
    assert both.execution.thread_instructions == both.oracle.thread_instructions
    assert divergence_differences(both.execution, both.oracle) == []
