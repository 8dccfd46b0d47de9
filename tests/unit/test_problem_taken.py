"""Other layouts of a buffer: which are tried, and what a kernel would have seen in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from warpgauge.problem import Problem
from warpgauge.problem.taken import as_taken, other_layouts, with_filled_gaps


def make(shape: list[int], role: str = "input", **more: Any) -> Problem:
    tensor = {"shape": shape, "dtype": "f32", "role": role, **more}
    return Problem(problem={"name": "p", "arch": "sm_90"}, dims={"n": 1}, tensors={"x": tensor})


def tried(problem: Problem) -> dict[str, tuple[tuple[int, ...], int]]:
    found = other_layouts(problem, "x", problem.dims)
    return {taken.words: (taken.layout.strides, taken.layout.offset) for taken in found}


@pytest.mark.parametrize(
    ("shape", "more", "expected"),
    [
        ([3, 5], {}, {"column-major": ((1, 3), 0)}),
        ([3, 5], {"strides": [1, 3]},
         {"row-major without gaps": ((5, 1), 0), "stored with its last two strides exchanged": ((3, 1), 0)}),
        (
            [3, 5],
            {"strides": [7, 1], "size": 64},
            {
                "column-major": ((1, 3), 0),
                "row-major without gaps": ((5, 1), 0),
                "stored with its last two strides exchanged": ((1, 7), 0),
            },
        ),
        # Where exchanged strides would leave the buffer, the access would have been out of bounds.
        ([3, 5], {"strides": [7, 1]}, {"column-major": ((1, 3), 0), "row-major without gaps": ((5, 1), 0)}),
        (
            [6],
            {"strides": [2], "offset": 1},
            {
                "row-major without gaps": ((1,), 1),
                "row-major without gaps, from the first element of the buffer": ((1,), 0),
                "stored as declared, from the first element of the buffer": ((2,), 0),
            },
        ),
        (
            [2, 3, 4],
            {},
            {"column-major": ((12, 1, 3), 0), "stored with its dimensions in reverse order": ((1, 2, 6), 0)},
        ),
        ([1, 5], {}, {}),
        ([], {}, {}),
        ([7], {}, {}),
    ],
)  # fmt: skip
def test_layouts_that_are_tried(shape: list[int], more: dict[str, Any], expected: dict[str, Any]) -> None:
    assert tried(make(shape, **more)) == expected


def test_what_is_written_has_a_place_for_every_element() -> None:
    more = {"strides": [2, 1], "shape": [5, 2]}
    assert "stored with its last two strides exchanged" not in tried(make(role="output", **more))
    crowded = {"strides": [7, 1], "size": 64}
    assert "stored with its last two strides exchanged" in tried(make([3, 5], "output", **crowded))
    assert "stored with its last two strides exchanged" not in tried(make([9, 5], "output", strides=[7, 1], size=80))


def test_as_taken_holds_what_the_other_layout_finds() -> None:
    problem = make([2, 3])
    (column_major,) = other_layouts(problem, "x", problem.dims)
    buffer = np.arange(6, dtype=np.float32)
    assert as_taken(buffer, column_major).tolist() == [0, 2, 4, 1, 3, 5]


def test_filled_gaps_hold_elements_and_elements_stay() -> None:
    problem = make([3, 2], strides=[4, 1], offset=1, size=14)
    layout = problem.layout("x", problem.dims)
    buffer = np.full(14, np.nan, np.float32)
    layout.view(buffer)[...] = [[1, 2], [3, 4], [5, 6]]
    filled = with_filled_gaps(buffer, layout)
    assert layout.view(filled).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert set(filled.tolist()) <= {1, 2, 3, 4, 5, 6} and np.isnan(buffer).sum() == 8
    dense = make([14])
    assert with_filled_gaps(buffer, dense.layout("x", dense.dims)) is buffer
