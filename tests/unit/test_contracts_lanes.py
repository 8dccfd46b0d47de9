"""Advice is reasoned from the lanes' addresses; a padding is named only after the bank rule has confirmed it."""

from __future__ import annotations

import pytest

from tests.unit.hand import strided
from warpgauge.arch import bank_cost
from warpgauge.contracts.lanes import (
    Padding,
    Request,
    coalescing_advice,
    conflict_advice,
    pattern,
    repitched,
    smallest_pad,
)


def pad(lanes: tuple[int | None, ...], width: int) -> int | None:
    found = smallest_pad(Request(lanes, width))
    return found.pad if found else None


def block_column(pitch: int, width: int, side: int = 16) -> tuple[int, ...]:
    """Addresses of `tile[threadIdx.x][threadIdx.y]` in the first warp of a block of side x side threads."""
    return tuple(lane % side * pitch + lane // side * width for lane in range(32))


def test_pattern_finds_the_step_and_the_misalignment() -> None:
    assert pattern(strided(4)).step == 4
    assert pattern(strided(4096, start=4)).step == 4096
    assert pattern(strided(4, start=36)).misaligned == 4
    assert pattern(block_column(64, 4)).step == 64
    assert pattern((None, 8, None, 8)).step is None
    assert pattern(tuple((lane * 389 + 17) % 1024 * 4 for lane in range(32))).step is None


@pytest.mark.parametrize(
    ("lanes", "width", "words"),
    [
        (strided(4096), 4, ("step by 4096 bytes", "contiguous dimension")),
        (strided(4, start=4), 4, ("4 bytes past a 32-byte boundary",)),
        (strided(16), 4, ("16-byte vector", "array of its own")),
        (strided(8), 4, ("8-byte vector",)),
        (strided(12), 4, ("step by 12 bytes", "stride of 1")),
        (tuple((lane * lane * 36) % 4096 for lane in range(32)), 4, ("no common step",)),
    ],
)
def test_coalescing_advice_names_what_to_change(lanes: tuple[int, ...], width: int, words: tuple[str, ...]) -> None:
    advice = coalescing_advice(lanes, width)
    assert all(word in advice for word in words), advice


@pytest.mark.parametrize(
    ("lanes", "width", "expected"),
    [
        (strided(128), 4, 4),  # float tile[32][32], a column: 33 floats wide
        (block_column(32, 2), 2, 4),  # half tile[16][16] read transposed: 18 wide, not 17
        (strided(64, 16), 4, 4),
        (strided(4), 4, None),  # rows are fine as they are
        (tuple((lane * 389 + 17) % 1024 * 4 for lane in range(32)), 4, None),
    ],
)
def test_smallest_pad(lanes: tuple[int, ...], width: int, expected: int | None) -> None:
    assert pad(lanes, width) == expected


@pytest.mark.parametrize("pitch", [32, 64, 96, 128, 256, 264, 512])
@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_a_named_pad_frees_the_request_and_nothing_smaller_does(pitch: int, width: int) -> None:
    lanes = block_column(pitch, width)
    found = smallest_pad(Request(lanes, width))
    if found is None:
        assert all(bank_cost(repitched(lanes, 0, pitch, p), width).conflicts for p in range(width, 128, width))
        return
    assert found.pad % width == 0
    costs = [bank_cost(repitched(lanes, 0, pitch, p), width).conflicts for p in range(width, found.pad + 1, width)]
    assert costs[-1] == 0
    assert 0 not in costs[:-1]


def test_a_pad_that_hurts_another_access_is_confessed() -> None:
    # A warp of a 16 x 16 block spans two rows of the tile: 17 floats a row still leave the column two-way, 18 free it
    # but make the second half of the row store wrap onto the first half's banks.
    column = Request(block_column(64, 4), 4, where="line 7")
    row = Request(strided(4), 4, load=False, where="line 5")
    assert smallest_pad(column) == Padding(64, 8)
    assert smallest_pad(column, [row]) == Padding(64, 8, ("line 5",))
    assert "line 5" in conflict_advice(column, [row])


def test_a_pad_that_suits_every_access_is_preferred() -> None:
    column = Request(strided(64), 4)
    other = Request(tuple(lane * 64 + 16 * (lane % 2) for lane in range(32)), 4, where="line 9")
    found = smallest_pad(column, [other])
    assert found is not None and not found.spoiled
    assert bank_cost(repitched(other.lanes, 0, 64, found.pad), 4).conflicts <= bank_cost(other.lanes, 4).conflicts


def test_conflict_advice_without_a_step_suggests_a_swizzle() -> None:
    assert "swizzle" in conflict_advice(Request(tuple((lane * lane * 128) % 4096 for lane in range(32)), 4))
