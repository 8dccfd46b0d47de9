"""What Nsight Compute reads for single asynchronous copies on an H200 (docs/measured/asynchronous_copies_h200.md)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.virtual.readings.read_copies import MASKS, SOURCE, buffers, launches
from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import GlobalMemory, execute

READINGS = json.loads((Path(__file__).parent / "readings" / "copies_h200.json").read_text())
EXACT = ("global_load_requests", "global_load_sectors", "shared_load_wavefronts", "shared_store_wavefronts")
ROWS = {tuple(row[:3]): dict(zip(READINGS["counters"], row[3:], strict=True)) for row in READINGS["rows"]}


@pytest.fixture(scope="module")
def counted() -> dict[tuple[str, str, str], Execution]:
    build: BuildArtifact = compile_source(SOURCE)
    found = {}
    for kernel, pattern, mask in launches():
        memory = GlobalMemory()
        places = [memory.add(name, data) for name, data in buffers(pattern).items()]
        found[kernel, pattern, mask] = execute(
            build, kernel, grid=(1, 1, 1), block=(32, 1, 1), arguments=[*places, MASKS[mask]], memory=memory,
            mode="count",
        )  # fmt: skip
    return found


def test_copies_are_among_the_global_loads(counted: dict[tuple[str, str, str], Execution]) -> None:
    assert list(counted) == list(ROWS)
    wrong = {
        key: (name, getattr(run.counters, name), ROWS[key][name])
        for key, run in counted.items()
        for name in EXACT
        if getattr(run.counters, name) != ROWS[key][name]
    }
    assert wrong == {}


def test_what_is_not_predicted_is_marked(counted: dict[tuple[str, str, str], Execution]) -> None:
    """The writes to shared memory have counters of their own, which the rule for stores does not always give."""
    differ = 0
    for key, run in counted.items():
        (write,) = [s for s in run.sites if s.space == "shared"]
        assert write.provenance.detail == "rule assumed"
        assert all(not s.provenance.detail for s in run.sites if s.space == "global")
        differ += write.wavefronts != ROWS[key]["copy_wavefronts"]
    assert differ
