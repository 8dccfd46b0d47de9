"""Interval arithmetic of fused accesses, against exhaustive search."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from warpgauge.sass.tiling import Member, Window, place, tile


def members(text: str) -> list[Member]:
    """`0:4 4:4:16` is a 4-byte member at 0 without access and one at 4 whose line has 16-byte accesses."""
    return [Member(*map(int, part.split(":"))) for part in text.split()]


def windows(text: str) -> list[tuple[int, int, int, int]] | None:
    tiling = tile(members(text))
    assert tiling is None or tiling.unique
    return None if tiling is None else [(w.first, w.end, w.offset, w.width) for w in tiling.windows]


def test_leaders_at_the_front_middle_and_end() -> None:
    assert windows("0:4:16 4:4 8:4 12:4 16:4 20:4 24:4:16 28:4") == [(0, 4, 0, 16), (4, 8, 16, 16)]
    assert windows("0:4 4:4 8:4 12:4:16") == [(0, 4, 0, 16)]


def test_members_of_different_widths() -> None:
    assert windows("0:8 8:4:16 12:4") == [(0, 3, 0, 16)]
    assert windows("0:2:4 2:2 4:4:8 8:4") == [(0, 2, 0, 4), (2, 4, 4, 8)]


def test_two_lines_of_one_window_may_both_have_the_wide_access() -> None:
    assert windows("0:4:8 4:4:8") == [(0, 2, 0, 8)]


def test_unaligned_windows_are_possible_but_come_second() -> None:
    assert windows("4:4:8 8:4") == [(0, 2, 4, 8)]
    assert windows("0:4 4:4 8:4:8 12:4") == [(2, 4, 8, 8)]


def test_bytes_that_nothing_asks_for() -> None:
    assert windows("4:4:16 8:8") == [(0, 2, 0, 16)]
    assert windows("0:4:16 12:4") == [(0, 2, 0, 16)]


def test_no_cut() -> None:
    assert tile(members("0:4:16")) is None
    assert tile(members("0:4:16 16:4")) is None
    assert tile(members("0:4:16 4:4:8 8:4 12:4")) is None


def test_two_equally_good_cuts_are_not_unique() -> None:
    tiling = tile(members("4:4 8:4 12:4:16 16:4 20:4"))
    assert tiling is not None
    assert not tiling.unique


@st.composite
def cuts(draw: st.DrawFn) -> tuple[list[Member], list[Window]]:
    """Aligned windows of 8 or 16 bytes of 4-byte members, each with its access at one of its members."""
    run: list[Member] = []
    cut = []
    offset = 0
    for width in draw(st.lists(st.sampled_from([8, 16]), min_size=1, max_size=4)):
        offset = -(-offset // width) * width
        leader = draw(st.integers(0, width // 4 - 1))
        cut.append(Window(len(run), len(run) + width // 4, offset, width))
        run += [Member(offset + 4 * n, 4, width if n == leader else 0) for n in range(width // 4)]
        offset += width
    return run, cut


@given(cuts())
def test_an_aligned_cut_is_found_again(case: tuple[list[Member], list[Window]]) -> None:
    run, cut = case
    tiling = tile(run)
    assert tiling is not None
    assert (list(tiling.windows) == cut) or not tiling.unique


@given(st.lists(st.sampled_from([0, 0, 8, 16]), min_size=1, max_size=7))
def test_every_wide_member_is_covered_once_or_there_is_no_cut(wide: list[int]) -> None:
    run = [Member(4 * n, 4, width) for n, width in enumerate(wide)]
    tiling = tile(run)
    possible = [
        (first, end)
        for first, end in combinations(range(len(run) + 1), 2)
        if end - first > 1 and {run[n].wide for n in range(first, end)} - {0} == {4 * (end - first)}
    ]
    wide_members = {n for n, member in enumerate(run) if member.wide}
    if tiling is None:
        assert not any(
            wide_members <= set().union(*(range(*p) for p in chosen)) and _disjoint(chosen)
            for size in range(1, len(possible) + 1)
            for chosen in combinations(possible, size)
            if size <= 3
        )
        return
    covered = [n for window in tiling.windows for n in range(window.first, window.end)]
    assert len(covered) == len(set(covered))
    assert wide_members <= set(covered)
    for window in tiling.windows:
        inside = run[window.first : window.end]
        assert {member.wide for member in inside} - {0} == {window.width}
        assert window.offset <= inside[0].offset
        assert inside[-1].offset + inside[-1].width <= window.offset + window.width


def _disjoint(chosen: tuple[tuple[int, int], ...]) -> bool:
    return all(a[1] <= b[0] or b[1] <= a[0] for a, b in combinations(chosen, 2))


def test_intervals_from_one_line_are_laid_over_the_members() -> None:
    pair = members("0:4 8:4")
    assert place([(0x10, 4), (0x18, 4)], 0, pair, [True, True]) == [((0,), (1,))]
    assert place([(0x10, 4), (0x14, 4)], 0, pair, [True, True]) == []
    assert place([(0x10, 4), (0x18, 4)], 0, pair, [True, False]) == []
    triple = members("0:4 4:4 8:4")
    assert place([(0, 8), (8, 4)], 0, triple, [True] * 3) == [((0, 1), (2,))]
    assert place([(0, 4), (4, 4)], 1, triple, [True] * 3) == [((0,), (1,)), ((1,), (2,))]
