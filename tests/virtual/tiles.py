"""Counters of single wmma loads and stores on an H200 (readings/wmma_h200.json) beside the virtual GPU's."""

from __future__ import annotations

import functools
import json
from typing import Any

from tests.virtual.patterns import FOLDER
from tests.virtual.readings.read_wmma import inputs
from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import GlobalMemory, execute

READINGS: dict[str, Any] = json.loads((FOLDER / "wmma_h200.json").read_text())


@functools.cache
def build() -> BuildArtifact:
    return compile_source(FOLDER / "wmma.cu")


def launched(kernel: str, stride: int) -> Execution:
    memory = GlobalMemory()
    arguments = [*(memory.add(name, data) for name, data in inputs().items()), stride]
    return execute(build(), kernel, grid=(1, 1, 1), block=(32, 1, 1), arguments=arguments, memory=memory, mode="count")


def differences() -> list[tuple[str, int, dict[str, tuple[int, int]]]]:
    """Launches (kernel, stride) of which a counter is not what was read: {counter: (predicted, read)}."""
    found = []
    for kernel, stride, *read in READINGS["rows"]:
        counters = launched(kernel, stride).counters
        both = {name: (getattr(counters, name), value) for name, value in zip(READINGS["counters"], read, strict=True)}
        if wrong := {name: pair for name, pair in both.items() if pair[0] != pair[1]}:
            found.append((kernel, stride, wrong))
    return found
