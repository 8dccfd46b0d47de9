"""Counters of single asynchronous copies on an H200 (readings/copies_h200.json) beside the virtual GPU's."""

from __future__ import annotations

import functools
import json
from typing import Any

from tests.virtual.patterns import FOLDER
from tests.virtual.readings.read_copies import MASKS, SOURCE, buffers, launches
from warpgauge.build import compile_source
from warpgauge.evidence import Execution
from warpgauge.vgpu import GlobalMemory, execute

READINGS: dict[str, Any] = json.loads((FOLDER / "copies_h200.json").read_text())
#: What is predicted; the counters of the writes to shared memory (`copy_...`) are not.
EXACT = ("global_load_requests", "global_load_sectors", "shared_load_wavefronts", "shared_store_wavefronts")
Launch = tuple[str, str, str]  # kernel, pattern, mask
ROWS: dict[Launch, dict[str, int]] = {
    (row[0], row[1], row[2]): dict(zip(READINGS["counters"], row[3:], strict=True)) for row in READINGS["rows"]
}


@functools.cache
def executed() -> dict[Launch, Execution]:
    build = compile_source(SOURCE)
    found = {}
    for kernel, pattern, mask in launches():
        memory = GlobalMemory()
        places = [memory.add(name, data) for name, data in buffers(pattern).items()]
        found[kernel, pattern, mask] = execute(
            build, kernel, grid=(1, 1, 1), block=(32, 1, 1), arguments=[*places, MASKS[mask]], memory=memory,
            mode="count",
        )  # fmt: skip
    return found


def differences() -> list[tuple[Launch, dict[str, tuple[int, int]]]]:
    """Launches of which a counter is not what was read: {counter: (predicted, read)}."""
    found = []
    for launch, run in executed().items():
        both = {name: (getattr(run.counters, name), ROWS[launch][name]) for name in EXACT}
        if wrong := {name: pair for name, pair in both.items() if pair[0] != pair[1]}:
            found.append((launch, wrong))
    return found
