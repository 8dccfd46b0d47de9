"""The numerics contract on executed kernels: what must fail fails with its code and element, correct kernels pass."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from warpgauge.candidate import Candidate, load_candidate
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.diagnostics import Diagnostic
from warpgauge.evaluate import Evaluation, evaluate
from warpgauge.problem import Problem, load_problem

pytestmark = pytest.mark.usefixtures("ptx_alone")

FOLDER = Path(__file__).parent / "numerics"


@cache
def declared(name: str) -> Problem:
    return load_problem(FOLDER / name)


def candidate(name: str, fault: str) -> Candidate:
    """The candidate of a folder with the fault of that name, as its source numbers them."""
    built = load_candidate(FOLDER / name)
    numbers = dict(re.findall(r"^#define ([A-Z_]+) (\d)\b", built.source.read_text(), re.M))
    return built.with_defines(FAULT=int(numbers[fault]))


def numerics(name: str, fault: str, problem: Problem | None = None) -> tuple[ContractResult, Evaluation]:
    evaluation = evaluate(problem or declared(name), candidate(name, fault), only=["numerics"])
    (row,) = evaluation.contracts
    return row, evaluation


def story(row: ContractResult) -> str:
    return "\n".join(f"{d.code} {d.message}" for d in row.diagnostics) + row.reason


def failed(name: str, fault: str) -> dict[str, Diagnostic]:
    """The findings of a candidate that must fail, by code."""
    row, evaluation = numerics(name, fault)
    assert row.verdict is Verdict.FAIL and row.binds and evaluation.exit_code == 1
    return {d.code: d for d in row.diagnostics}


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("matmul_f32", {"declared", "large", "cancellation"}),
        ("matmul_f16", {"declared", "large", "cancellation"}),
        ("row_sum_f16", {"declared"}),
        ("copy_many", {"declared"}),
    ],
)
def test_the_correct_kernel_passes_on_every_kind_of_inputs(name: str, inputs: set[str]) -> None:
    row, evaluation = numerics(name, "CORRECT")
    assert row.verdict is Verdict.PASS, story(row)
    assert evaluation.diagnostics == () or {d.code for d in evaluation.diagnostics} == {"PRB908"}
    assert {run.inputs for run in evaluation.runs} == inputs
    assert {run.role for run in evaluation.runs} == {"judge", "small"}
    assert row.coverage is not None and row.coverage.complete


def test_a_dropped_last_k_tile() -> None:
    found = failed("matmul_f32", "DROPPED_TILE")
    assert found.keys() == {"NUM501", "NUM502"}
    assert found["NUM501"].evidence["rel_l2"] == pytest.approx((8 / 200) ** 0.5, rel=0.2)
    # Every element misses terms, so the first over its bound is the first of all.
    assert found["NUM502"].evidence["index"] == [0, 0]
    assert found["NUM502"].evidence["count"] > 0.9 * 32 * 32


def test_an_f16_accumulator_at_k_4096() -> None:
    found = failed("matmul_f16", "HALF_SUM")
    error = found["NUM501"]
    assert 2e-3 < error.evidence["rel_l2"] < 1e-1
    assert error.evidence["shape"]["K"] == 4096 and error.evidence["tensor"] == "C"


def test_one_nan_in_ten_million_outputs() -> None:
    found = failed("copy_many", "ONE_NAN")
    assert found.keys() == {"NUM503"}
    evidence = found["NUM503"].evidence
    assert (evidence["count"], evidence["elements"], evidence["index"]) == (1, 10_000_000, [1234, 567])


def test_an_unwritten_output_element() -> None:
    found = failed("matmul_f32", "UNWRITTEN")
    assert found.keys() == {"NUM505"}
    assert (found["NUM505"].evidence["count"], found["NUM505"].evidence["index"]) == (1, [31, 31])


def test_outputs_are_poisoned_before_the_run_on_other_inputs() -> None:
    """The declared run writes everything; what it wrote must not stand in for what the run on large inputs does not."""
    found = failed("matmul_f32", "LARGE_UNWRITTEN")
    assert found.keys() == {"NUM505"}
    evidence = found["NUM505"].evidence
    assert (evidence["inputs"], evidence["count"]) == ("large", 32 * 32)


def test_outputs_are_poisoned_before_the_run_on_another_shape() -> None:
    found = failed("matmul_f32", "SMALL_UNWRITTEN")
    assert found.keys() == {"NUM505"}
    evidence = found["NUM505"].evidence
    assert (evidence["shape"]["M"], evidence["index"], evidence["count"]) == (13, [12, 0], 21)


def test_infinity_where_the_reference_overflows_is_equal_and_a_finite_value_there_is_not() -> None:
    row, _ = numerics("row_sum_f16", "CORRECT")
    assert row.verdict is Verdict.PASS
    found = failed("row_sum_f16", "CLAMPED")
    assert found.keys() == {"NUM501", "NUM502"}
    evidence = found["NUM502"].evidence
    assert (evidence["index"], evidence["count"], evidence["produced"]) == ([16], 8, 65504.0)


def test_infinity_where_the_reference_is_finite() -> None:
    found = failed("row_sum_f16", "OVERFLOWS")
    assert found.keys() == {"NUM504"}
    # 4096 r + 2016 is beyond half of what f16 holds from row 8 on; from row 16 on infinity is right.
    assert (found["NUM504"].evidence["index"], found["NUM504"].evidence["count"]) == ([8], 8)


def test_a_sum_taken_for_noise_is_found_by_cancelling_inputs_alone() -> None:
    found = failed("matmul_f32", "TAKEN_FOR_NOISE")
    assert found.keys() == {"NUM502"}
    assert found["NUM502"].evidence["inputs"] == "cancellation"
    assert "declared inputs" not in found["NUM502"].message and "large inputs" not in found["NUM502"].message
    assert found["NUM502"].evidence["produced"] == 0.0


def test_truncated_factors_are_beyond_the_bound_though_rel_l2_allows_them() -> None:
    """12 bits of each factor: an error that a loose rel_l2 accepts, but that no rounding of f32 explains."""
    problem = load_problem(FOLDER / "matmul_f32")
    loose = problem.model_copy(update={"tolerance": problem.tolerance.model_copy(update={"rel_l2": 1e-2})})
    row, _ = numerics("matmul_f32", "TRUNCATED", loose)
    assert row.verdict is Verdict.FAIL
    assert {d.code for d in row.diagnostics} == {"NUM502"}
    assert "cancellation inputs" in row.diagnostics[0].message


@pytest.mark.parametrize("tolerance", [{"abs": 1e-4}, {"abs": 1e-4, "rel": 1e-5}, {"rel_l2": 1e-5, "abs": 1e-4}])
def test_abs_and_rel_speak_of_the_declared_inputs(tolerance: dict[str, float]) -> None:
    """An absolute tolerance is chosen for declared magnitudes: sums of 1e38 cannot be within 1e-4 of anything."""
    problem = load_problem(FOLDER / "matmul_f32")
    changed = {"rel_l2": None, "abs": None, "rel": None} | tolerance
    asked = problem.model_copy(update={"tolerance": problem.tolerance.model_copy(update=changed)})
    row, _ = numerics("matmul_f32", "CORRECT", asked)
    assert row.verdict is Verdict.PASS, story(row)
    row, _ = numerics("matmul_f32", "DROPPED_TILE", asked)
    assert row.verdict is Verdict.FAIL and "NUM502" in {d.code for d in row.diagnostics}
