"""Run one PTX module on both engines, the product's and the oracle's, and compare bits and counts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.oracle import engine as oracle
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.ptx import parse
from warpgauge.vgpu import GlobalMemory, execute


def artifact(ptx_text: str, arch: str = "sm_90") -> BuildArtifact:
    """A build of PTX text alone: no cubin, no SASS, so every access counts as the PTX says."""
    kernels = {name: name for name in parse(ptx_text).kernels}
    key = hashlib.sha256(ptx_text.encode()).hexdigest()
    return BuildArtifact(arch, ptx_text, b"", "", kernels, {}, {}, "none", key)


@dataclass(frozen=True)
class Both:
    """The product's and the oracle's view of one launch."""

    execution: Execution
    buffers: dict[str, np.ndarray]
    oracle: oracle.OracleResult


def run_both(
    ptx_text: str,
    kernel: str,
    buffers: dict[str, np.ndarray],
    *,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    scalars: Sequence[int | float] = (),
    dynamic_shared: int = 0,
    mode: str = "count",
) -> Both:
    """Arguments are the buffers in order, then `scalars`."""
    memory = GlobalMemory()
    addresses = [memory.add(name, data) for name, data in buffers.items()]
    arguments = [*addresses, *scalars]
    execution = execute(
        artifact(ptx_text), kernel, grid=grid, block=block, arguments=arguments, memory=memory,
        dynamic_shared=dynamic_shared, mode=mode,
    )  # fmt: skip
    second = oracle.run(
        parse(ptx_text), kernel, grid=grid, block=block, dynamic_shared=dynamic_shared, arguments=arguments,
        buffers=buffers,
    )  # fmt: skip
    return Both(execution, {name: memory.read(name) for name in buffers}, second)


def divergence_differences(execution: Execution, expected: oracle.OracleResult) -> list[str]:
    """What the engines count differently of lanes that take part, wait, and part at branches."""
    tally = expected.tally.divergence
    got: dict[str, object] = {
        "warp instructions": sum(line.warp_instructions for line in execution.lines),
        "thread instructions": sum(line.thread_instructions for line in execution.lines),
        "thread slots": sum(line.thread_slots for line in execution.lines),
    }
    want: dict[str, object] = {
        "warp instructions": tally.warp_instructions,
        "thread instructions": expected.thread_instructions,
        "thread slots": tally.thread_slots,
    }
    for b in execution.branches:
        worst = (b.worst.block, b.worst.warp, b.worst.ways) if b.worst else None
        got[f"branch at line {b.ptx_line}"] = (b.executions, b.splits, b.idle_slots, worst)
    for line, count in tally.branches.items():
        worst = count.worst[2:] if count.worst else None
        want[f"branch at line {line}"] = (count.executions, count.splits, count.idle_slots, worst)
    return [
        f"{name}: engine {got.get(name)}, oracle {want.get(name)}"
        for name in sorted(got.keys() | want.keys())
        if got.get(name) != want.get(name)
    ]
