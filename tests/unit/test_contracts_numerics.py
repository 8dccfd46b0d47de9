"""Numerics: what each kind of wrong output does to the verdict, and on which inputs which rule speaks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.hand import Case, execution, global_site, strided, trial
from warpgauge.contracts import ContractResult, Trial, Verdict
from warpgauge.contracts.case import OrderRun, Reordered
from warpgauge.contracts.numerics import judge
from warpgauge.evidence import BuildArtifact, Location
from warpgauge.problem.compare import Comparison, Finding

GOOD = Comparison(
    tensor="C",
    dtype="f32",
    elements=10_000_000,
    rel_l2=1e-7,
    rel_l2_finite=1e-7,
    max_abs=1e-6,
    max_rel=1e-5,
    rms=1e-7,
    worst=Finding(1, (2, 3), 1.0, 1.000001),
    nan=Finding(),
    inf=Finding(),
    unwritten=Finding(),
    matching_inf=0,
    over_bound=Finding(),
    worst_ratio=0.1,
    over_tolerance=None,
)
ONE = Finding(1, (4096, 7), math.nan, 0.5)


def of(comparison: Comparison, inputs: str = "declared", role: str = "judge", **more: Any) -> Trial:
    return trial(execution(), inputs=inputs, role=role, comparisons=(comparison,), **more)


def verdict(*trials: Trial, rel_l2: float | None = 1e-5) -> ContractResult:
    return judge(Case(trials=trials, rel_l2=rel_l2), {})


def test_a_good_output_passes_with_its_error_against_the_tolerance() -> None:
    result = verdict(of(GOOD), of(GOOD, role="small"), of(GOOD, "large"), of(GOOD, "cancellation"))
    assert (result.verdict, result.measured, result.asked) == (Verdict.PASS, 1e-7, 1e-5)
    assert result.coverage is not None and result.coverage.total == 2 * GOOD.elements


def test_what_hardware_keeps_shorter_stands_beside_the_verdict() -> None:
    short = replace(of(GOOD), executions=(replace(execution(), caveat="sm_90 keeps fewer bits"),))
    assert str(verdict(short, of(GOOD, role="small")).provenance) == "counted, sm_90 keeps fewer bits"
    assert str(verdict(of(GOOD)).provenance) == "counted"


@pytest.mark.parametrize("inputs", ["declared", "large", "cancellation"])
@pytest.mark.parametrize(("attribute", "code"), [("unwritten", "NUM505"), ("nan", "NUM503"), ("inf", "NUM504")])
def test_a_single_bad_element_in_ten_million_fails(attribute: str, code: str, inputs: str) -> None:
    bad = replace(GOOD, rel_l2=math.inf, **{attribute: ONE})
    result = verdict(of(GOOD), of(bad, inputs))
    assert result.verdict is Verdict.FAIL
    (diagnostic,) = result.diagnostics
    assert diagnostic.code == code
    assert "1 of 10,000,000 elements" in diagnostic.message
    assert "C[4096, 7]" in diagnostic.message
    assert diagnostic.evidence["index"] == [4096, 7]


@pytest.mark.parametrize(("inputs", "fails"), [("declared", True), ("large", True), ("cancellation", False)])
def test_relative_l2_judges_all_but_cancelling_inputs(inputs: str, fails: bool) -> None:
    result = verdict(of(GOOD), of(replace(GOOD, rel_l2=1e-3, rel_l2_finite=1e-3), inputs))
    assert (result.verdict is Verdict.FAIL) == fails
    assert [d.code for d in result.diagnostics] == ["NUM501"] * fails


def test_exactly_the_tolerance_passes() -> None:
    assert verdict(of(replace(GOOD, rel_l2=1e-5, rel_l2_finite=1e-5))).verdict is Verdict.PASS


@pytest.mark.parametrize("inputs", ["declared", "cancellation"])
def test_one_element_outside_its_bound_fails_however_small_the_norm(inputs: str) -> None:
    result = verdict(of(GOOD), of(replace(GOOD, over_bound=Finding(1, (0, 1), 2.0, 1.0), worst_ratio=40.0), inputs))
    assert (result.verdict, [d.code for d in result.diagnostics]) == (Verdict.FAIL, ["NUM502"])
    assert "C[0, 1] = 2 where the reference is 1" in result.diagnostics[0].message
    assert "40 times its bound" in result.diagnostics[0].message


def test_the_problem_s_own_elementwise_tolerance() -> None:
    result = verdict(of(replace(GOOD, over_tolerance=Finding(3, (1,), 2.0, 1.0))))
    assert (result.verdict, [d.code for d in result.diagnostics]) == (Verdict.FAIL, ["NUM502"])


def test_one_defect_in_several_trials_is_told_once() -> None:
    bad = replace(GOOD, rel_l2=1e-2, rel_l2_finite=1e-2)
    (diagnostic,) = verdict(of(bad), of(bad, role="small"), of(bad, "large")).diagnostics
    assert (
        "n=128 (judge, declared inputs) (and at n=33 (small, declared inputs); n=128 (judge, large"
        in diagnostic.message
    )


def test_another_order_is_named_only_for_what_the_natural_one_does_not_show() -> None:
    bad = replace(GOOD, rel_l2=1e-2, rel_l2_finite=1e-2)
    for natural, titles in ((bad, 1), (GOOD, 2)):
        trials = (of(natural),)
        runs = tuple(OrderRun(of(bad, order=order)) for order in ("permutation 0", "permutation 1"))
        evidence = Case(trials=trials, rel_l2=1e-5, reordered=(Reordered({"n": 128}, 4, 2, runs),))
        (diagnostic,) = [d for d in judge(evidence, {}).diagnostics if d.code == "NUM501"]
        assert diagnostic.message.count("n=128 (judge") == titles
        assert ("permutation" in diagnostic.message) == (natural is GOOD)


def test_fragments_are_spoken_of_where_there_are_any() -> None:
    bad = replace(GOOD, rel_l2=1e-2, rel_l2_finite=1e-2)
    for ptx, said in (("ldmatrix.sync.aligned.m8n8.x4.shared.b16", True), ("ld.shared.b16", False)):
        build = BuildArtifact("sm_90", ptx, b"", "", {}, {}, {}, "NVRTC", "key")
        (diagnostic,) = judge(Case(build=build, trials=(of(bad),), rel_l2=1e-5), {}).diagnostics
        assert ("ldmatrix takes the rows of matrix q" in diagnostic.help) == said


def test_the_store_of_the_tensor_is_pointed_at() -> None:
    site = global_site(strided(4), 4, line=29, op="store")
    assert site.worst is not None
    stored = replace(site, worst=replace(site.worst, buffer="C"))
    bad = replace(GOOD, nan=ONE)
    (diagnostic,) = verdict(trial(execution(stored), comparisons=(bad,))).diagnostics
    assert diagnostic.primary is not None and diagnostic.primary.location == Location("kernel.cu", 29)


def test_without_a_norm_the_wrong_elements_are_counted() -> None:
    exact = replace(GOOD, dtype="i32", over_bound=Finding(12, (0,), 1, 2), worst_ratio=0.0)
    result = verdict(of(exact), rel_l2=None)
    assert (result.verdict, result.measured, result.asked) == (Verdict.FAIL, 12, 0)
    assert verdict(of(replace(exact, over_bound=Finding())), rel_l2=None).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("trials", "rel_l2", "words"),
    [
        ((), 1e-5, "judged shape"),
        ((of(GOOD), trial(execution(stopped="no progress"), inputs="large")), 1e-5, "no progress"),
        ((of(GOOD), trial(role="small", missing="budget spent")), 1e-5, "budget spent"),
        ((trial(execution(), uncompared="the problem has no reference"),), 1e-5, "no reference"),
        ((trial(execution()),), 1e-5, "nothing was compared"),
        ((of(replace(GOOD, over_bound=None)),), None, "no tolerance"),
        ((of(GOOD), of(replace(GOOD, over_bound=None), "cancellation")), 1e-5, "no tolerance"),
    ],
)
def test_unknown_never_passes(trials: tuple[Trial, ...], rel_l2: float | None, words: str) -> None:
    result = verdict(*trials, rel_l2=rel_l2)
    assert result.verdict is Verdict.UNKNOWN
    assert words in result.reason


def test_a_defect_outweighs_missing_evidence() -> None:
    bad = replace(GOOD, nan=ONE)
    assert verdict(of(bad), trial(role="small", missing="budget spent")).verdict is Verdict.FAIL


def test_a_defect_points_at_the_last_launch_that_stores_the_tensor() -> None:
    clear = execution(global_site(strided(4), 4, line=5, op="store", requests=100))
    store = execution(global_site(strided(4), 4, line=18, op="store"))
    load = execution(global_site(strided(4), 4, line=30))
    bad = replace(GOOD, tensor="A", rel_l2=1e-3, rel_l2_finite=1e-3)
    (diagnostic,) = verdict(trial(clear, store, load, comparisons=(bad,))).diagnostics
    assert diagnostic.primary is not None and diagnostic.primary.location.line == 18
