"""Advice on coalescing is reasoned from the lanes' addresses."""

from __future__ import annotations

import pytest

from tests.unit.hand import strided
from warpgauge.contracts.lanes import coalescing_advice, pattern


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


def test_a_copy_past_l1_that_fetches_sectors_twice_is_told_why() -> None:
    rows = strided(16)
    assert "cp.async.cg fetches a sector again" in coalescing_advice(rows, 16, sectors=20)
    assert "cp.async" not in coalescing_advice(rows, 16, sectors=16)
