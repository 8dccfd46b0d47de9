"""The help of SHM201: a padding and a swizzle, each confirmed by the rule for all accesses of the array."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.hand import shared_site, strided
from warpgauge.arch import bank_cost
from warpgauge.contracts.bank_advice import conflict_advice, pitch_of, rows_of
from warpgauge.evidence import Location, Site
from warpgauge.padding import Layout, advise, cost


def block_column(pitch: int, width: int, side: int = 16) -> tuple[int, ...]:
    """Addresses of `tile[threadIdx.x][threadIdx.y]` in the first warp of a block of side x side threads."""
    return tuple(lane % side * pitch + lane // side * width for lane in range(32))


def fragment(pitch: int) -> tuple[int, ...]:
    """A fragment of mma.sync: eight rows, four neighbouring registers in each."""
    return tuple(lane // 4 * pitch + lane % 4 * 4 for lane in range(32))


def in_array(site: Site, begin: int, size: int) -> Site:
    assert site.worst is not None
    lanes = tuple(None if a is None else a + begin for a in site.worst.lanes)
    return replace(site, worst=replace(site.worst, lanes=lanes, extent=(begin, size)))


def padded(lanes: tuple[int | None, ...], width: int) -> int | None:
    """The elements of `width` bytes that the advice adds to a row."""
    array = rows_of(shared_site(lanes, width), ())
    if array is None:
        return None
    pad = advise(array.tile, array.accesses).pad
    return None if pad is None else (pad.layout.pitch - array.tile.row_bytes) // width


@pytest.mark.parametrize(
    ("lanes", "width", "pitch", "elements"),
    [
        (strided(128), 4, 128, 1),  # float tile[32][32], a column: 33 floats wide
        (block_column(32, 2), 2, 32, 2),  # half tile[16][16] read transposed: 18 wide, not 17
        (strided(64, 16), 4, 64, 1),
        (fragment(128), 4, 128, 4),  # 64 halves a row: 72
        (tuple(lane % 16 * 128 + lane // 16 * 16 for lane in range(32)), 16, 128, 1),  # ldmatrix
        (strided(4), 4, 4, None),  # rows are fine as they are
        (tuple((lane * 389 + 17) % 1024 * 4 for lane in range(32)), 4, 4, None),
    ],
)
def test_rows_are_found_and_padded(lanes: tuple[int, ...], width: int, pitch: int, elements: int | None) -> None:
    assert (pitch_of(lanes, width), padded(lanes, width)) == (pitch, elements)


@pytest.mark.parametrize("pitch", [32, 64, 96, 128, 256, 264, 512])
@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_a_named_pad_frees_the_request_and_nothing_smaller_does(pitch: int, width: int) -> None:
    lanes = block_column(pitch, width)
    if not bank_cost(lanes, width).conflicts or pitch % width:
        return
    site = shared_site(lanes, width)
    array = rows_of(site, ())
    assert array is not None
    pad = advise(array.tile, array.accesses).pad
    assert pad is not None and pad.good
    (access,) = array.accesses
    for smaller in range(array.tile.row_bytes, pad.layout.pitch, width):
        assert cost(access, Layout(smaller)).conflicts
    assert f"to {pad.layout.pitch} bytes" in conflict_advice(site, ())


def test_both_ways_are_named_with_what_they_cost() -> None:
    column = in_array(shared_site(strided(128), 4, line=7), 256, 32 * 128)
    row = in_array(shared_site(strided(4), 4, line=5, op="store"), 256, 32 * 128)
    advice = conflict_advice(column, [row])
    assert "pad each row from 128 to 132 bytes (1 more element of 4 bytes, 128 bytes in all)" in advice
    assert "of row r and column c at column c ^ (r % 32), wherever the array is used, which takes no memory" in advice
    assert advice.endswith("tried on the worst requests of line 7, line 5 by the wavefront rule")


def test_a_padding_that_hurts_another_access_says_so_and_the_swizzle_does_not() -> None:
    # A warp of a 16 x 16 block spans two rows of the tile: 18 floats free the column, but make the second half of the
    # row store wrap onto the first half's banks.
    column, row = shared_site(block_column(64, 4), 4, line=7), shared_site(strided(4), 4, line=5, op="store")
    advice = conflict_advice(column, [row])
    assert "to 72 bytes (2 more elements of 4 bytes) (which leaves conflicts at line 5), or swizzle:" in advice
    assert "c ^ (r / 2 % 8) * 2, wherever the array is used, which takes no memory. Each" in advice
    assert "are not told apart" in advice
    assert "leaves" not in conflict_advice(column, [])


def test_a_line_of_a_header_is_named_and_an_array_of_several_tiles_is_thought_of() -> None:
    column = in_array(shared_site(block_column(64, 4), 4, line=7), 0, 64 * 64)
    row = in_array(shared_site(strided(4), 4, line=5, op="store"), 0, 64 * 64)
    row = replace(row, location=Location("lib/tile.h", 5), inlined=(Location("kernel.cu", 30),))
    advice = conflict_advice(column, [row])
    assert "(which leaves conflicts at line 5 of tile.h), or swizzle:" in advice
    assert advice.endswith("holds tiles of several row lengths, lay out each by itself")


def test_a_wider_access_of_the_same_array_keeps_its_alignment() -> None:
    column = in_array(shared_site(strided(128), 4, line=7), 0, 32 * 128)
    row = in_array(shared_site(strided(16), 16, line=5, op="store"), 0, 32 * 128)
    assert "to 144 bytes (4 more elements of 4 bytes" in conflict_advice(column, [row])


def test_an_access_that_fits_no_such_rows_is_left_out() -> None:
    column = shared_site(strided(96), 4, line=7)
    across = shared_site(strided(64, start=64), 16, line=9)
    assert rows_of(column, [replace(across, bytes_per_lane=64)]) is None
    assert "line 9" not in conflict_advice(column, [replace(across, bytes_per_lane=64)])


def test_where_nothing_can_be_said_of_rows() -> None:
    scattered = tuple((lane * 389 + 17) % 1024 * 4 for lane in range(32))
    assert "swizzle (XOR)" in conflict_advice(shared_site(scattered, 4), ())


def test_atomics_on_shared_words_are_no_matter_of_layout() -> None:
    assert "combine values" in conflict_advice(shared_site((0,) * 32, 4, op="atomic"), ())
    assert "pad each row from 128" in conflict_advice(shared_site(strided(128), 4, op="atomic"), ())
