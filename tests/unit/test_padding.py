"""The padding and swizzle adviser: exact answers by the wavefront rule, never worse than the bare tile."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpgauge.arch import bank_cost
from warpgauge.padding import Access, Advice, Layout, Swizzle, Tile, advise, cost
from warpgauge.padding.words import WORDS, PatternError, access


def asked(
    tile: Tile, block: tuple[int, int, int], stores: tuple[str, ...], loads: tuple[str, ...], pitch: int = 0
) -> Advice:
    accesses = [access(word, "store", tile, block) for word in stores]
    accesses += [access(word, "load", tile, block) for word in loads]
    return advise(tile, accesses, pitch=pitch)


def test_a_half_tile_read_transposed_is_18_wide_not_17_nor_32() -> None:
    found = asked(Tile(16, 16, 2), (16, 16, 1), ("block",), ("transposed",))
    assert found.pad is not None and found.pad.good and found.pad.layout.pitch == 18 * 2
    for width in (17, 32):
        assert cost(found.accesses[1], Layout(width * 2)).conflicts


def test_a_float_column_is_33_wide() -> None:
    found = asked(Tile(32, 32, 4), (32, 1, 1), (), ("column",))
    assert found.pad is not None and found.pad.layout == Layout(33 * 4)
    assert found.swizzle is not None and found.swizzle.layout == Layout(32 * 4, Swizzle(4, 1, 32))
    assert found.swizzle.layout.column(4) == "c ^ (r % 32)"


def test_ldmatrix_takes_72_halves_or_the_128_byte_swizzle() -> None:
    found = asked(Tile(64, 64, 2), (128, 1, 1), ("row:16",), ("ldmatrix", "ldmatrix.trans"))
    assert [c.conflicts for c in found.now.costs] == [0, 448, 448]
    assert found.pad is not None and found.pad.layout == Layout(72 * 2) and found.pad.good
    assert (
        found.swizzle is not None and found.swizzle.layout == Layout(64 * 2, Swizzle(16, 1, 8)) and found.swizzle.good
    )
    assert found.swizzle.layout.column(2) == "c ^ (r % 8) * 8"


@pytest.mark.parametrize(("columns", "divide", "modulo"), [(64, 1, 8), (32, 2, 4), (16, 4, 2)])
def test_the_swizzles_of_tensor_maps_come_out_for_their_rows(columns: int, divide: int, modulo: int) -> None:
    found = asked(Tile(64, columns, 2), (128, 1, 1), ("cp.async",), ("ldmatrix",))
    assert found.swizzle is not None and found.swizzle.layout.swizzle == Swizzle(16, divide, modulo)


def test_a_padding_must_free_every_access_at_once() -> None:
    # 33 halves free a first column (F-7), but an odd pitch makes some columns share a word with the next row.
    tile = Tile(32, 32, 2)
    found = asked(tile, (32, 1, 1), (), ("column",))
    first = found.accesses[0].requests[0]
    assert not cost(Access("first", "load", 2, (first,)), Layout(66)).conflicts
    assert cost(found.accesses[0], Layout(66)).conflicts
    assert found.pad is not None and found.pad.layout == Layout(68)


def test_where_no_padding_frees_all_the_best_is_named_and_the_rest_stays_counted() -> None:
    # A warp of a 16 x 16 block holds two rows: 18 floats free the column, and cost the row store a wavefront each.
    found = asked(Tile(16, 16, 4), (16, 16, 1), ("block",), ("transposed",))
    assert found.pad is not None and not found.pad.good
    assert found.pad.avoidable == 8 < found.now.avoidable == 56
    assert found.swizzle is not None and found.swizzle.good


def test_doubles_need_chunks_of_32_bytes() -> None:
    found = asked(Tile(64, 64, 8), (128, 1, 1), ("row:16",), ("mma",))
    assert found.swizzle is not None and found.swizzle.good
    assert found.swizzle.layout == Layout(64 * 8, Swizzle(32, 1, 4))


def test_rows_of_17_halves_fail_a_16_byte_access_and_rows_of_24_pass() -> None:
    tile, words = Tile(16, 16, 2), ("row:16",)
    narrow = asked(tile, (32, 1, 1), words, words, pitch=17 * 2)
    assert narrow.now.misaligned == ("store row:16", "load row:16") and not narrow.now.good
    assert narrow.pad is not None and narrow.pad.layout.pitch == 16 * 2
    assert asked(tile, (32, 1, 1), words, words, pitch=24 * 2).now.misaligned == ()
    # An access of 4 bytes is content with 18.
    assert asked(tile, (32, 1, 1), ("row:4",), (), pitch=18 * 2).now.misaligned == ()


def test_a_pitch_beyond_need_is_improved_upon() -> None:
    found = asked(Tile(64, 64, 2), (128, 1, 1), ("row:16",), ("ldmatrix",), pitch=200 * 2)
    assert found.now.good and found.pad is not None and found.pad.layout.pitch == 72 * 2
    # No padding frees single halves of a column beside 16-byte rows, but 72 costs as little as 200.
    found = asked(Tile(64, 64, 2), (128, 1, 1), ("row:16",), ("column",), pitch=200 * 2)
    assert found.pad is not None and found.pad.layout.pitch == 72 * 2
    assert found.pad.wavefronts == found.now.wavefronts


def test_a_tile_without_conflicts_keeps_its_rows() -> None:
    found = asked(Tile(32, 32, 4), (32, 8, 1), ("block",), ("block",))
    assert found.now.good and found.swizzle is None
    assert found.pad is not None and found.pad.layout == found.now.layout


@pytest.mark.parametrize("word", WORDS.values(), ids=lambda word: word.name)
@pytest.mark.parametrize("element", [2, 4])
def test_every_word_covers_the_tile_exactly_once(word: object, element: int) -> None:
    tile, block = Tile(32, 64, element), (32, 4, 1)
    for direction in WORDS[word.name].directions:  # type: ignore[attr-defined]
        made = access(word.name, direction, tile, block)  # type: ignore[attr-defined]
        touched = Counter(
            (at[0], byte)
            for lanes in made.requests
            for at in lanes
            if at
            for byte in range(at[1], at[1] + made.bytes_per_lane)
        )
        assert touched == Counter((r, b) for r in range(tile.rows) for b in range(tile.row_bytes))
        assert all(len(lanes) == 32 for lanes in made.requests)


@pytest.mark.parametrize(
    ("text", "direction", "block", "words"),
    [
        ("colum", "load", 32, "no way to load"),
        ("ldmatrix", "store", 32, "no way to store"),
        ("ldmatrix:16", "load", 32, "write ldmatrix alone"),
        ("row:3", "load", 32, "2, 4, 8, 16 bytes"),
        ("row:1", "load", 32, "2, 4, 8, 16 bytes"),
        ("cp.async:2", "store", 32, "4, 8, 16 bytes"),
        ("ldmatrix", "load", 48, "no whole number of warps"),
        ("row:16", "load", 32, "rows of 36 bytes"),
        ("ldmatrix", "load", 32, "16 rows x 32 bytes"),
    ],
)
def test_words_that_mean_nothing(text: str, direction: str, block: int, words: str) -> None:
    with pytest.raises(PatternError, match=words):
        access(text, direction, Tile(16, 18, 2), (block, 1, 1))  # type: ignore[arg-type]


_ROWS = st.sampled_from([8, 16, 32])
_NAMES = ("row", "row:4", "row:8", "row:16", "column", "column:8", "block", "transposed", "mma", "mma.trans")
_WORDS = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3)


@settings(max_examples=25, deadline=None)
@given(
    _ROWS, st.sampled_from([8, 16, 24, 32, 40]), st.sampled_from([1, 2, 4]), st.sampled_from([32, 64]), _WORDS, _WORDS
)
def test_advice_never_costs_more_than_the_bare_tile(
    rows: int, columns: int, element: int, threads: int, stores: list[str], loads: list[str]
) -> None:
    tile, accesses = Tile(rows, columns, element), []
    for direction, words in (("store", stores), ("load", loads)):
        for word in words:
            try:
                accesses.append(access(word, direction, tile, (threads // 8, 8, 1)))  # type: ignore[arg-type]
            except PatternError:
                continue
    found = advise(tile, accesses)
    for chosen in (found.pad, found.swizzle):
        if chosen is None:
            continue
        assert not chosen.misaligned and chosen.wavefronts <= found.now.wavefronts
        # The layout is one: no two bytes of the tile share a place, and all lie within it.
        places = {chosen.layout.address(r, b) for r in range(rows) for b in range(tile.row_bytes)}
        assert len(places) == rows * tile.row_bytes and max(places) < chosen.layout.bytes(tile)
        # The cost is that of the rule, on the addresses of the layout.
        for one, priced in zip(accesses, chosen.costs, strict=True):
            addresses = [[None if at is None else chosen.layout.address(*at) for at in lanes] for lanes in one.requests]
            costs = [bank_cost(a, one.bytes_per_lane, merge_pairs=one.kind == "load") for a in addresses]
            assert sum(c.wavefronts for c in costs) == priced.wavefronts


@pytest.mark.parametrize("width", [2, 4, 16])
def test_no_smaller_padding_would_do(width: int) -> None:
    tile = Tile(16, 64, 2)
    found = asked(tile, (16, 2, 1), ("row:4",), (f"transposed:{width}",))
    assert found.pad is not None and found.pad.good
    for pitch in range(tile.row_bytes, found.pad.layout.pitch, max(width, 4)):
        assert any(cost(each, Layout(pitch)).conflicts for each in found.accesses)
