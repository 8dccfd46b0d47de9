"""Launches that a clock cuts off: the report is the same whenever it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.virtual.orders import ARRAY, SAME, found, judge, launch, line_of, story
from warpgauge.report.check_json import check_json
from warpgauge.vgpu import Budget

pytestmark = pytest.mark.usefixtures("ptx_alone")

# Lanes race, over and over; and it counts in memory, so that no state comes back.
COUNTS = """
extern "C" __global__ void kernel(const float* x, float* out, int n) {
  volatile float* seen = out;
  for (unsigned c = 0; seen[99] != 12345.0f; ++c) {
#pragma unroll 1
    for (int k = 0; k < (threadIdx.x & 3) + 100; ++k) seen[1] = c;  // in
  }
}
"""
STOPS = """
extern "C" __global__ void kernel(const float* x, float* out, int n) {
  volatile float* seen = out;
  seen[0] = threadIdx.x;
  __trap();
}
"""


@pytest.mark.parametrize("seconds", [0.5, 1.3])
def test_how_far_a_launch_came_is_no_part_of_its_report(tmp_path: Path, seconds: float) -> None:
    options = {"tensors": ARRAY, "reference": SAME, "launches": launch(grid=1, block=64), "n": 777, "small": ()}
    evaluation = judge(tmp_path, COUNTS, budget=Budget(no_progress_seconds=seconds), **options)  # type: ignore[arg-type]
    races = found(evaluation, "SAF602")
    assert races and all(race.evidence["count"] is None for race in races), story(evaluation)
    (endless,) = found(evaluation, "SAF612")
    assert endless.primary and endless.primary.location.line == line_of(COUNTS, "// in")
    assert all(span.location.line for span in endless.related), story(evaluation)
    words = check_json([evaluation])
    again = judge(tmp_path, COUNTS, budget=Budget(no_progress_seconds=2 * seconds), **options)  # type: ignore[arg-type]
    assert check_json([again]) == words


def test_a_launch_that_stops_by_itself_is_counted_to_there(tmp_path: Path) -> None:
    evaluation = judge(tmp_path, STOPS, tensors=ARRAY, reference=SAME, launches=launch(grid=1, block=32), small=())
    (race,) = found(evaluation, "SAF602")
    assert race.evidence["count"] >= 1, story(evaluation)
