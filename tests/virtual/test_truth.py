"""Every counter that Nsight Compute read on an H200 for the kernels in tests/truth is predicted exactly."""

from __future__ import annotations

from tests.agreement import PAGE, launches, page, readings


def test_every_reading_is_predicted() -> None:
    assert len(readings()) == 584
    assert [r for r in readings() if r.predicted != r.read] == []


def test_the_page_is_current() -> None:
    # The tests of each kind of reading execute the launches of the summary, and hold that none differs.
    assert PAGE.read_text(encoding="utf-8") == page(readings(), [0] * len(launches())), "make agreement"
