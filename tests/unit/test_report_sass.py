"""The lines of a loop in the report of the machine code."""

from __future__ import annotations

from warpgauge.evidence import Location
from warpgauge.report.sass import line_ranges


def test_lines_can_be_broken_between_numbers_and_nowhere_else() -> None:
    places = [Location("k.cu", line) for line in (4, 3, 9, 5)] + [Location("lib/h.h", 7)]
    assert line_ranges(places) == "k.cu: 3-5, 9; h.h: 7"
    assert line_ranges(places[:4], "k.cu") == "3-5, 9"
    assert line_ranges([]) == "-"
