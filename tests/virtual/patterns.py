"""Counters of 2,073 launches on an H200 (readings/patterns_h200.json) beside the virtual GPU's.

A row of the file is one launch of one warp: the kernel of patterns.cu, the pattern of its lanes' addresses, the mask of
the lanes that take part, then a value for each counter.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.problem.dtypes import Array
from warpgauge.vgpu import GlobalMemory, execute

FOLDER = Path(__file__).parent / "readings"
READINGS: dict[str, Any] = json.loads((FOLDER / "patterns_h200.json").read_text())
KERNELS: tuple[str, ...] = tuple(sorted({row[0] for row in READINGS["rows"]}))
# 64-bit shared atomics run as a compare-and-swap loop on hardware: counted, but marked as assumed.
LOOPS = ("a_add64",)
COMPARED = tuple(kernel for kernel in KERNELS if kernel not in LOOPS)


@dataclass(frozen=True)
class Difference:
    """A launch that is predicted wrongly; `counters` maps each counter that differs to what is predicted and read."""

    kernel: str
    pattern: str
    mask: str
    counters: dict[str, tuple[int, int]]


@functools.cache
def build() -> BuildArtifact:
    return compile_source(FOLDER / "patterns.cu")


def launched(kernel: str, index: Array, mask: int) -> Execution:
    """One warp; each lane works at its `index`, in elements, if its bit of `mask` is set."""
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(65536, np.uint8))
    arguments = [out, memory.add("index", index), mask]
    return execute(build(), kernel, grid=(1, 1, 1), block=(32, 1, 1), arguments=arguments, memory=memory, mode="count")


def differences(kernel: str) -> list[Difference]:
    """The launches of a kernel of which a counter is not what was read."""
    found = []
    for _, pattern, mask, *read in (row for row in READINGS["rows"] if row[0] == kernel):
        index = np.array(READINGS["patterns"][pattern], np.int32)
        counters = launched(kernel, index, READINGS["masks"][mask]).counters
        both = {name: (getattr(counters, name), value) for name, value in zip(READINGS["counters"], read, strict=True)}
        if wrong := {name: pair for name, pair in both.items() if pair[0] != pair[1]}:
            found.append(Difference(kernel, pattern, mask, wrong))
    return found
