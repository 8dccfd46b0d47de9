"""Threads, lanes, warps and waves of a launch."""

from __future__ import annotations

import pytest

from warpgauge.arch import thread_index, warps_of, waves


def test_lanes_follow_the_linear_id() -> None:
    # requirements F-45: in a 16 x 16 block a warp spans two rows.
    warps = warps_of((16, 16, 1))
    assert len(warps) == 8
    assert (warps[1].first, warps[1].last, warps[1].rows) == ((0, 2, 0), (15, 3, 0), 2)
    assert {warp.rows for warp in warps_of((32, 8, 1))} == {1}
    assert thread_index(37, (4, 4, 4)) == (1, 1, 2)


def test_the_last_warp_may_be_short() -> None:
    *_, last = warps_of((33, 1, 1))
    assert (last.number, last.first, last.last) == (1, (32, 0, 0), (32, 0, 0))


def test_the_example_of_requirement_83() -> None:
    """65,536 threads of work in blocks of 256 on an A100, eight blocks per SM."""
    found = waves((256, 1, 1), (256, 1, 1), sms=108, blocks_per_sm=8, elements=65536)
    assert (found.blocks, found.warps_per_block, found.full, found.tail) == (256, 8, 0, 256)
    assert (found.idle_lanes, found.idle_threads, found.busy_sms) == (0, 0, 108)
    assert found.waves == pytest.approx(256 / 864)


def test_a_tail() -> None:
    found = waves((1000, 1, 1), (192, 1, 1), sms=132, blocks_per_sm=2, elements=191999)
    assert (found.capacity, found.full, found.tail, found.busy_sms) == (264, 3, 208, 132)
    assert found.idle_threads == 1
    short = waves((270, 1, 1), (40, 1, 1), sms=132, blocks_per_sm=2)
    assert (short.tail, short.busy_sms, short.idle_lanes, short.idle_threads) == (6, 6, 24, None)
    full = waves((264, 1, 1), (32, 1, 1), sms=132, blocks_per_sm=2)
    assert (full.full, full.tail, full.busy_sms) == (1, 0, 132)


def test_nothing_runs_where_no_block_fits() -> None:
    with pytest.raises(ValueError, match="no block fits"):
        waves((1, 1, 1), (32, 1, 1), sms=132, blocks_per_sm=0)
