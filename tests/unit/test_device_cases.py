"""Cases for a machine with a GPU and no compiler: they come back as they were written, and wrong outputs show."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from tests.gpu.examples_on_device import compared, distance
from tests.gpu.prepared import Case, Launch, cases


def case() -> Case:
    halves = np.arange(8, dtype=np.float16)
    return Case(
        name="problem/candidate/N8/declared",
        cubin=b"\x7fELF",
        launches=(Launch("k", (1, 2, 3), (32, 1, 1), 64, bytes(20).hex(), {0: "x", 8: "y"}),),
        buffers={"x": halves, "y": np.full(8, np.nan, np.float16)},
        expected={"y": np.arange(8, dtype=np.float64)},
        virtual={"y": halves},
        rel_l2=1e-3,
    )


def test_a_case_comes_back_as_it_was_written(tmp_path: Path) -> None:
    case().save(tmp_path)
    (back,) = cases(tmp_path)
    assert (back.name, back.cubin, back.launches, back.rel_l2) == (
        case().name, case().cubin, case().launches, case().rel_l2,
    )  # fmt: skip
    for kind in ("buffers", "expected", "virtual"):
        assert getattr(back, kind).keys() == getattr(case(), kind).keys()
        for name, array in getattr(case(), kind).items():
            np.testing.assert_array_equal(getattr(back, kind)[name], array)


def test_one_wrong_element_is_wrong_and_counted() -> None:
    good = np.arange(8, dtype=np.float16)
    (row,) = compared(case(), {"y": good})
    assert row.right and row.device == 0 and row.different_bits == 0
    bad = good.copy()
    bad[3] += 1
    (row,) = compared(case(), {"y": bad})
    assert not row.right and row.different_bits == 1
    assert math.isclose(row.device, 1 / np.linalg.norm(np.arange(8.0)))


def test_what_is_not_finite_is_infinitely_far() -> None:
    assert distance(np.array([1.0, np.nan]), np.array([1.0, 2.0])) == math.inf
    assert distance(np.array([1.0, np.inf]), np.array([1.0, np.inf])) == 0
