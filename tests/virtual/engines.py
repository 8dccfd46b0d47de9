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
