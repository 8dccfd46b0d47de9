"""Sectors and wavefronts from lane addresses, against results worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle.counting import Tally, sectors, wavefronts

EVERY = range(32)


def lanes(function, active=EVERY):
    return tuple(function(n) if n in active else None for n in EVERY)


@pytest.mark.parametrize(
    ("function", "width", "active", "expected"),
    [
        (lambda n: 4 * n, 4, EVERY, 4),
        (lambda n: 4 + 4 * n, 4, EVERY, 5),
        (lambda n: 0, 4, EVERY, 1),
        (lambda n: 8 * n, 4, EVERY, 8),
        (lambda n: 16 * n, 4, EVERY, 16),
        (lambda n: 4096 * n, 4, EVERY, 32),
        (lambda n: 4 * n, 4, range(20), 3),
        (lambda n: 4 * n, 4, range(0), 0),
        (lambda n: 16 * n, 16, EVERY, 16),
        (lambda n: n, 1, EVERY, 1),
        (lambda n: 8 * n, 8, EVERY, 8),
        (lambda n: 4 * (n % 16), 4, EVERY, 2),
    ],
)
def test_sectors(function, width: int, active: range, expected: int):
    assert sectors(lanes(function, active), width) == expected


@pytest.mark.parametrize(
    ("function", "width", "op", "active", "expected"),
    [
        (lambda n: 4 * n, 4, "load", EVERY, (1, 0)),
        (lambda n: 8 * n, 4, "load", EVERY, (2, 1)),
        (lambda n: 128 * n, 4, "load", EVERY, (32, 31)),
        (lambda n: 132 * n, 4, "load", EVERY, (1, 0)),
        (lambda n: 64, 4, "load", EVERY, (1, 0)),
        (lambda n: 2 * n, 2, "store", EVERY, (1, 0)),
        (lambda n: n, 1, "store", EVERY, (1, 0)),
        (lambda n: 128 * n, 4, "load", range(5), (5, 4)),
        (lambda n: 0, 4, "load", range(0), (0, 0)),
        # 8 bytes: two half-warps, or one group where pairs of lanes agree.
        (lambda n: 8 * n, 8, "load", EVERY, (2, 0)),
        (lambda n: 8 * (n // 2), 8, "load", EVERY, (1, 0)),
        (lambda n: 8 * (n & ~2), 8, "load", EVERY, (2, 1)),
        (lambda n: 8 * (n // 2), 8, "store", EVERY, (2, 0)),
        (lambda n: 8 * n, 8, "load", range(0, 32, 2), (2, 1)),
        (lambda n: 16 * n, 8, "load", EVERY, (4, 2)),
        # 16 bytes: four quarter-warps, or two half-warps.
        (lambda n: 16 * n, 16, "load", EVERY, (4, 0)),
        (lambda n: 0, 16, "load", EVERY, (2, 0)),
        (lambda n: 16 * (n // 2), 16, "load", EVERY, (2, 0)),
        (lambda n: 32 * n, 16, "load", EVERY, (8, 4)),
        (lambda n: 16 * n, 16, "load", range(8), (1, 0)),
        # Atomics: lane after lane in a bank; adding one merges lanes of one word; compare-and-swap takes two passes.
        (lambda n: 12, 4, "atomic", EVERY, (32, 31)),
        (lambda n: 12, 4, "merging", EVERY, (1, 0)),
        (lambda n: 4 * (n // 2), 4, "merging", EVERY, (1, 0)),
        (lambda n: 4 * n, 4, "compare", EVERY, (2, 0)),
        (lambda n: 12, 4, "compare", range(20), (40, 19)),
        (lambda n: 4 * (n // 2), 4, "atomic", EVERY, (2, 1)),
        (lambda n: 4 * n, 4, "atomic", EVERY, (1, 0)),
        (lambda n: 128 * n, 4, "atomic", EVERY, (32, 31)),
        # Rows of ldmatrix: groups of eight, never merged.
        (lambda n: 64 * n, 16, "rows", range(8), (4, 3)),
        (lambda n: 0, 16, "rows", range(16), (2, 0)),
    ],
)
def test_wavefronts(function, width: int, op: str, active: range, expected: tuple[int, int]):
    assert wavefronts(lanes(function, active), width, op) == expected


def test_the_pair_rule_treats_an_inactive_partner_as_equal():
    """Even lanes alone, two words apart in a half-warp each: merged into one group, so banks are shared."""
    apart = lanes(lambda n: 8 * n, range(0, 32, 2))
    assert wavefronts(apart, 8, "load") == (2, 1)
    assert wavefronts(apart, 8, "store") == (2, 0)


def test_totals_sum_requests_by_space_and_kind():
    tally = Tally()
    all_lanes = np.arange(32)
    for _ in range(3):
        tally.record(7, "global", "load", 4, all_lanes, 4 * all_lanes)
    tally.record(8, "global", "store", 4, all_lanes[:8], 4 * all_lanes[:8])
    tally.record(9, "shared", "load", 4, all_lanes, 8 * all_lanes)
    tally.record(9, "shared", "load", 4, all_lanes, 4 * all_lanes)
    tally.record(10, "shared", "atomic", 4, all_lanes, 0 * all_lanes)
    tally.record(11, "local", "load", 4, all_lanes, 4 * all_lanes)
    tally.record(12, "global", "atomic", 4, all_lanes, 4 * all_lanes)
    totals = tally.totals()
    assert (totals.global_load_requests, totals.global_load_sectors) == (3, 12)
    assert (totals.global_store_requests, totals.global_store_sectors) == (1, 1)
    assert (totals.shared_load_wavefronts, totals.shared_load_conflicts) == (3, 1)
    assert (totals.shared_atomic_wavefronts, totals.shared_atomic_conflicts) == (32, 31)
    assert totals.shared_store_wavefronts == 0
    line = tally.at(7)
    assert (line.requests, line.lanes, line.sectors, line.ideal_sectors) == (3, 96, 12, 12)


def test_ideal_sectors_never_exceed_what_was_moved():
    tally = Tally()
    lane = np.arange(32)
    tally.record(1, "global", "load", 4, lane, 0 * lane)
    tally.record(2, "global", "load", 4, lane, 128 * lane)
    tally.record(3, "global", "load", 4, lane[:20], 4 * lane[:20])
    assert [tally.at(n).ideal_sectors for n in (1, 2, 3)] == [1, 4, 3]
    assert [tally.at(n).sectors for n in (1, 2, 3)] == [1, 32, 3]
