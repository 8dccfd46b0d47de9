"""Layouts: where elements stand in a buffer."""

from __future__ import annotations

import numpy as np
import pytest

from warpgauge.problem.layout import Layout, row_major


def layout(shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0, size: int = 64) -> Layout:
    return Layout("f32", shape, strides, offset, size)


def test_row_major() -> None:
    assert row_major((2, 3, 4)) == (12, 4, 1)
    assert row_major(()) == ()
    assert row_major((5, 0, 2)) == (2, 2, 1)


def test_view_reads_and_writes_the_right_elements() -> None:
    storage = np.arange(64, dtype=np.float32)
    view = layout((2, 3), (10, 2), 5).view(storage)
    assert view.tolist() == [[5, 7, 9], [15, 17, 19]]
    view[1, 2] = -1
    assert storage[19] == -1


def test_column_major_negative_and_scalar() -> None:
    storage = np.arange(64, dtype=np.float32)
    assert layout((2, 2), (1, 8)).view(storage).tolist() == [[0, 8], [1, 9]]
    assert layout((3,), (-2,), 4).view(storage).tolist() == [4, 2, 0]
    assert layout((), (), 7).view(storage).tolist() == 7
    assert layout((0, 4), (4, 1)).view(storage).shape == (0, 4)


def test_extent_and_range() -> None:
    assert layout((2, 3), (10, 2), 5).extent == (5, 19)
    assert layout((3,), (-2,), 4).extent == (0, 4)
    assert layout((2, 3), (10, 2), 5, 20).in_range
    assert not layout((2, 3), (10, 2), 5, 19).in_range
    assert not layout((3,), (-2,), 3).in_range
    with pytest.raises(ValueError, match="does not hold"):
        layout((2, 3), (10, 2), 5, 19).view(np.zeros(64, np.float32))
    with pytest.raises(ValueError, match="10 elements"):
        layout((4, 4), (4, 1), 0, 16).view(np.zeros(10, np.float32))


@pytest.mark.parametrize(
    ("shape", "strides", "overlaps"),
    [
        ((4, 4), (4, 1), False),
        ((4, 4), (1, 4), False),
        ((4, 4), (5, 1), False),
        ((4, 4), (0, 1), True),
        ((4, 4), (3, 1), True),
        ((1, 4), (0, 1), False),
        ((4,), (-1,), False),
        # Interleaved but disjoint: 0 2 / 3 5, and 0 2 4 / 3 5 7.
        ((2, 2), (3, 2), False),
        ((2, 3), (3, 2), False),
        ((3, 2), (2, 4), True),
    ],
)
def test_overlaps(shape: tuple[int, ...], strides: tuple[int, ...], overlaps: bool) -> None:
    assert layout(shape, strides, 8).overlaps is overlaps


def test_contiguous_and_bytes() -> None:
    assert layout((4, 4), (4, 1)).contiguous
    assert layout((1, 4), (99, 1)).contiguous
    assert not layout((4, 4), (5, 1)).contiguous
    assert Layout("bf16", (3,), (1,), 0, 7).bytes == 14
