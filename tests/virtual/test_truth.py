"""Every counter that Nsight Compute read on an H200 for the kernels in tests/truth is predicted exactly."""

from __future__ import annotations

from pathlib import Path

from warpgauge.evaluate.truth import compare_folder

FOLDER = Path(__file__).parents[1] / "truth"


def test_every_reading_is_predicted() -> None:
    readings = compare_folder(FOLDER)
    assert len(readings) == 584
    assert [r for r in readings if r.predicted != r.read] == []
