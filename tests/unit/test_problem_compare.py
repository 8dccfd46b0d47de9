"""Comparison: every number and every defect, on outputs whose errors are put there by hand."""

from __future__ import annotations

import math
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from warpgauge.problem import Comparison, Problem, Reference, compare, encode, poison
from warpgauge.problem.compare import BLOCK


def make(shape: list[int], dtype: str = "f32", tolerance: dict[str, float] | None = None, **more: Any) -> Problem:
    return Problem(
        problem={"name": "p", "arch": "sm_90"},
        dims={"n": 1},
        tensors={"z": {"shape": shape, "dtype": dtype, "role": "output", **more}},
        tolerance=tolerance or {},
    )


def judge(
    produced: Any, expected: Any, dtype: str = "f32", bound: Any = None, tolerance: dict[str, float] | None = None
) -> Comparison:
    expected = np.asarray(expected)
    problem = make(list(expected.shape), dtype, tolerance)
    storage = produced if isinstance(produced, np.ndarray) else encode(np.asarray(produced), dtype)
    limits = None if bound is None else np.broadcast_to(np.float64(bound), expected.shape)
    return compare(problem, "z", storage.reshape(-1), Reference({"n": 1}, {"z": expected}, {"z": limits}))


def test_norms_against_direct_formulas() -> None:
    rng = np.random.default_rng(0)
    expected = rng.standard_normal((300, 2000))
    produced = (expected + 1e-3 * rng.standard_normal(expected.shape)).astype(np.float32)
    assert expected.size > 2 * BLOCK
    difference = np.abs(produced.astype(np.float64) - expected)
    result = judge(produced, expected)
    assert result.rel_l2 == pytest.approx(np.linalg.norm(difference) / np.linalg.norm(expected), rel=1e-12)
    assert result.rel_l2 == result.rel_l2_finite
    assert result.max_abs == difference.max()
    assert result.max_rel == (difference / np.abs(expected)).max()
    assert result.rms == pytest.approx(np.sqrt((difference**2).mean()), rel=1e-12)
    worst = np.unravel_index(np.argmax(difference), difference.shape)
    assert result.worst.index == worst
    assert (result.worst.produced, result.worst.expected) == (produced[worst], expected[worst])
    assert (result.elements, result.clean, result.over_bound, result.over_tolerance) == (600_000, True, None, None)


def test_an_equal_output_has_no_error() -> None:
    result = judge([1.0, -2.0, 0.0], [1.0, -2.0, 0.0], bound=0.0)
    assert (result.rel_l2, result.max_abs, result.max_rel, result.rms, result.worst_ratio) == (0, 0, 0, 0, 0)
    assert result.clean and not result.over_bound


def test_a_wrong_value_where_zero_is_expected() -> None:
    result = judge([0.0, 1e-3], [0.0, 0.0])
    assert result.rel_l2 == math.inf and result.max_rel == math.inf and result.max_abs == pytest.approx(1e-3)


def test_one_nan_in_ten_million_is_counted_and_never_averaged_away() -> None:
    expected = np.broadcast_to(np.float64(1.0), (10_000_000,))
    produced = np.ones(10_000_000, np.float32)
    produced[7_654_321] = np.nan
    started = time.perf_counter()
    result = judge(produced, expected)
    assert time.perf_counter() - started < 20
    assert (result.nan.count, result.nan.index, result.nan.expected) == (1, (7_654_321,), 1.0)
    assert result.rel_l2 == math.inf and result.rel_l2_finite == 0 and not result.clean
    assert not result.inf and not result.unwritten


def test_unwritten_elements_are_told_from_nan() -> None:
    produced = np.ones((4, 5), np.float32)
    produced[2, 3] = poison("f32", 1)[0]
    produced[3, 0] = np.nan
    result = judge(produced, np.ones((4, 5)))
    assert (result.unwritten.count, result.unwritten.index) == (1, (2, 3))
    assert (result.nan.count, result.nan.index) == (1, (3, 0))


@pytest.mark.parametrize("dtype", ["u8", "i32", "u64", "f16", "bf16", "f64", "e4m3", "e5m2", "bool"])
def test_an_output_that_nobody_wrote(dtype: str) -> None:
    expected = np.ones(7) if dtype in ("f16", "bf16", "f64", "e4m3", "e5m2") else encode(np.ones(7), dtype)
    result = judge(poison(dtype, 7), expected, dtype)
    assert (result.unwritten.count, result.unwritten.index, result.nan.count) == (7, (0,), 0)
    assert result.rel_l2 == math.inf


def test_an_integer_that_rightly_equals_the_pattern_is_no_defect() -> None:
    expected = np.array([0xA5, 3], np.uint8)
    assert judge(np.array([0xA5, 3], np.uint8), expected, "u8", bound=0).clean


def test_infinity_is_right_only_where_the_reference_overflows() -> None:
    inf = math.inf
    result = judge([inf, -inf, inf, -inf, 65504.0], [70000.0, -70000.0, 70.0, 70000.0, 65504.0], "f16")
    assert result.matching_inf == 2
    assert (result.inf.count, result.inf.index) == (2, (2,))
    near = judge([inf, 65504.0], [65519.0, 65519.0], "f16", bound=32.0)
    assert near.matching_inf == 1 and near.clean and not near.over_bound
    assert judge([inf], [65519.0], "f16", bound=0.5).inf.count == 1
    assert judge([inf], [65519.0], "f16").inf.count == 1


def test_a_finite_value_where_the_reference_is_not() -> None:
    result = judge([1.0, 2.0, math.nan, math.inf], [math.inf, math.nan, math.nan, math.inf])
    assert (result.inf.count, result.inf.index, result.nan.count, result.matching_inf) == (2, (0,), 0, 1)
    saturated = judge([65504.0], [70000.0], "f16", bound=1.0)
    assert saturated.over_bound and saturated.max_abs == 4496


def test_types_without_infinity_hold_their_largest_value() -> None:
    assert judge([448.0, -448.0], [1000.0, -math.inf], "e4m3", bound=0).clean
    result = judge([448.0, -448.0], [1000.0, -math.inf], "e4m3", bound=0)
    assert not result.over_bound and result.max_abs == 0
    infinite = np.array([0x7C], np.uint8)
    assert judge(infinite, [70000.0], "e5m2").matching_inf == 1


def test_elements_over_the_bound() -> None:
    result = judge([[1.0, 2.5], [3.0, 4.25]], [[1.0, 2.0], [3.0, 4.0]], bound=0.25)
    assert result.over_bound is not None
    assert (result.over_bound.count, result.over_bound.index) == (1, (0, 1))
    assert (result.over_bound.produced, result.over_bound.expected) == (2.5, 2.0)
    assert result.worst_ratio == 2.0


def test_the_problems_own_elementwise_tolerance() -> None:
    result = judge([1.0, 2.02, 100.5], [1.0, 2.0, 100.0], tolerance={"abs": 0.01, "rel": 0.004})
    assert result.over_tolerance is not None
    assert (result.over_tolerance.count, result.over_tolerance.index) == (2, (1,))
    assert judge([0.5], [1.0], tolerance={"abs": 0.5}).over_tolerance is not None
    assert not judge([0.5], [1.0], tolerance={"abs": 0.5}).over_tolerance


def test_integers_differ_by_one_beyond_2_to_53() -> None:
    big = 2**60
    expected = np.array([big, -big, 5])
    result = judge(np.array([big + 1, -big, 5]), expected, "i64", bound=0)
    assert result.over_bound is not None and result.over_bound.count == 1 and result.max_abs == 1
    extremes = judge(np.array([2**63 - 1]), np.array([-(2**63)]), "i64", bound=0)
    assert extremes.max_abs == 2.0**64
    assert judge(np.array([250], np.uint8), np.array([3], np.uint8), "u8", bound=0).max_abs == 247


def test_any_true_byte_equals_true() -> None:
    assert judge(np.array([0, 255, 1], np.uint8), np.array([0, 1, 1], np.uint8), "bool", bound=0).max_abs == 0
    assert judge(np.array([0], np.uint8), np.array([1], np.uint8), "bool", bound=0).over_bound


def test_huge_and_tiny_values_neither_overflow_nor_vanish() -> None:
    for scale in (1e300, 1e-300):
        result = judge(np.array([scale, scale * 1.5]), np.array([scale, scale]), "f64")
        assert result.rel_l2 == pytest.approx(0.5 / math.sqrt(2))
        assert result.rms == pytest.approx(0.5 * scale / math.sqrt(2))


def test_strided_outputs_are_compared_by_logical_index() -> None:
    problem = make([3, 4], "f32", strides=[1, 5], offset=2, size=30)
    expected = np.arange(12.0).reshape(3, 4)
    storage = poison("f32", 30)
    view = problem.layout("z", problem.dims).view(storage)
    view[...] = expected
    view[1, 2] += 1
    result = compare(problem, "z", storage, Reference({"n": 1}, {"z": expected}, {"z": None}))
    assert result.worst.index == (1, 2) and result.max_abs == 1 and result.clean
    with pytest.raises(ValueError, match="does not hold"):
        compare(problem, "z", storage[:10], Reference({"n": 1}, {"z": expected}, {"z": None}))


def test_a_scalar_and_an_empty_output() -> None:
    assert judge(np.array([2.0], np.float32), np.array(1.0)).worst.index == ()
    empty = judge(np.zeros(0, np.float32), np.zeros((0, 3)))
    assert (empty.elements, empty.rel_l2, empty.clean) == (0, 0.0, True)


def test_a_large_output_needs_little_memory_beside_itself() -> None:
    expected = np.ones(4_000_000)
    produced = np.ones(4_000_000, np.float32)
    tracemalloc.start()
    judge(produced, expected, bound=1e-6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < expected.nbytes


def test_elements_that_are_left_out_count_for_nothing_and_places_are_those_of_the_whole() -> None:
    expected = np.arange(12, dtype=np.float64).reshape(3, 4)
    produced = expected.astype(np.float32)
    produced[0, 1] = np.nan  # left out
    produced[2, 1] += 0.5
    only = np.zeros((3, 4), np.bool_)
    only[1:, :2] = True
    for strides in ([4, 1], [1, 3]):
        problem = make([3, 4], strides=strides)
        storage = np.empty(12, np.float32)
        problem.layout("z", {"n": 1}).view(storage)[...] = produced
        reference = Reference({"n": 1}, {"z": expected}, {"z": np.full((3, 4), 0.1)})
        result = compare(problem, "z", storage, reference, only=only)
        assert (result.elements, result.left_out, result.total, result.clean) == (4, 8, 12, True)
        assert result.worst.index == (2, 1) and result.worst_ratio == pytest.approx(5.0)
        assert result.over_bound and (result.over_bound.count, result.over_bound.index) == (1, (2, 1))
        assert result.rel_l2 == pytest.approx(0.5 / np.linalg.norm(expected[1:, :2]))
