"""Safety: any fault fails, a warning does not, and only whole, checked runs of every shape can pass."""

from __future__ import annotations

import pytest

from tests.unit.hand import Case, case, execution, trial
from warpgauge.contracts import Verdict
from warpgauge.contracts.safety import judge
from warpgauge.diagnostics import CODES
from warpgauge.evidence import Fault, Location

HERE, THERE = Location("k.cu", 7), Location("k.cu", 3)


def race(count: int = 1) -> Fault:
    return Fault("SAF601", HERE, "two warps race", (0, 0, 0), (3, 0, 0), ((THERE, "earlier write"),), count)


SAFETY_CODES = sorted(code for code in CODES if code.startswith("SAF6"))


@pytest.mark.parametrize("code", SAFETY_CODES)
def test_every_fault_fails_unless_it_is_a_warning(code: str) -> None:
    warning = CODES[code].severity == "warning"
    result = judge(case(execution(faults=[Fault(code, HERE, "found", warning=warning)])), {})
    assert result.verdict is (Verdict.PASS if warning else Verdict.FAIL)
    assert [(d.code, d.severity) for d in result.diagnostics] == [(code, CODES[code].severity)]


def test_a_fault_in_a_run_that_could_not_go_on_is_a_fault() -> None:
    result = judge(case(execution(faults=[Fault("SAF611", HERE, "deadlock")], stopped="deadlock", done=1)), {})
    assert result.verdict is Verdict.FAIL


def test_one_finding_on_several_shapes_is_told_once_and_counted() -> None:
    evidence = Case(trials=(trial(execution(faults=[race(5)])), trial(execution(faults=[race(2)]), role="small")))
    (diagnostic,) = judge(evidence, {}).diagnostics
    assert diagnostic.evidence["count"] == 7
    assert diagnostic.evidence["shape"] == {"n": 128}
    assert [span.location for span in diagnostic.related] == [THERE]


def test_each_place_of_a_finding_comes_with_the_calls_around_it() -> None:
    call, caller, kernel = (Location("k.cu", line) for line in (20, 30, 40))
    fault = Fault(
        "SAF615", HERE, "too early", related=((THERE, "the copy"), (call, "the last wait")), inlined=(kernel,),
        related_inlined=((caller,), ()),
    )  # fmt: skip
    (diagnostic,) = judge(case(execution(faults=[fault])), {}).diagnostics
    assert [(span.location, span.label) for span in diagnostic.related] == [
        (THERE, "the copy"),
        (caller, "the copy, inlined here"),
        (call, "the last wait"),
        (kernel, "inlined here"),
    ]
    assert "commit a group in every step" in diagnostic.help


def test_faults_of_the_harder_inputs_count_too() -> None:
    evidence = Case(trials=(trial(execution()), trial(execution(faults=[race()]), inputs="large")))
    assert judge(evidence, {}).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (Case(missing={"virtual": "not asked for"}), "not asked for"),
        (Case(trials=(trial(execution(), role="small"),)), "judged shape"),
        (case(execution(checked=False)), "without checking"),
        (case(execution(stopped="unsupported instruction")), "unsupported"),
        (case(execution(done=2)), "50.0 %"),
        (Case(trials=(trial(execution()), trial(execution(done=2), role="small"))), "50.0 %"),
        (Case(trials=(trial(execution()), trial(role="small", missing="budget spent"))), "budget spent"),
    ],
)
def test_unknown_never_passes(evidence: Case, words: str) -> None:
    result = judge(evidence, {})
    assert result.verdict is Verdict.UNKNOWN
    assert words in result.reason


def test_whole_checked_runs_pass_with_their_coverage() -> None:
    result = judge(Case(trials=(trial(execution()), trial(execution(), role="small"))), {})
    assert result.verdict is Verdict.PASS
    assert result.coverage is not None and (result.coverage.done, result.coverage.total) == (8, 8)
