"""Comments that silence findings, and what silencing does to a contract's verdict."""

from __future__ import annotations

import json

import pytest

from tests.unit.hand_evaluation import BLOCKS, COUNTED, evaluation
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.diagnostics import CODES, Diagnostic, Severity, Span
from warpgauge.diagnostics.silence import ignores, objections, reasons_by_place
from warpgauge.evaluate import Evaluation, Silencing
from warpgauge.evidence import Location
from warpgauge.report.check_json import check_json
from warpgauge.report.check_markdown import check_markdown
from warpgauge.report.check_sarif import check_sarif

SOURCE = """\
a = x[i * n];  // warpgauge: ignore MEM101 read once
b = x[i * n];
c = s[i][0];   /* warpgauge: ignore SHM201, MEM102: two of them */ d = 1;
e = x[0];      // warpgauge: ignore SAF602 trust me
"""


def finding(code: str, line: int, severity: Severity | None = None) -> Diagnostic:
    return Diagnostic(code, severity or CODES[code].severity, f"{code} at {line}", Span(Location("k.cu", line)))


def contract(name: str, *findings: Diagnostic, verdict: Verdict = Verdict.FAIL) -> ContractResult:
    return ContractResult(name, verdict, True, 0.1, 0.75, "efficiency", COUNTED, BLOCKS, findings)


def silenced(*rows: ContractResult, silencing: Silencing | None = None) -> tuple[ContractResult, ...]:
    return (silencing or Silencing()).rows(rows, {"k.cu": SOURCE}, "p", "c")


def test_comments_are_found_with_code_reason_and_place() -> None:
    first, second, third = ignores({"k.cu": SOURCE})
    assert (first.codes, first.reason) == (("MEM101",), "read once")
    assert (first.location.line, first.location.column) == (1, SOURCE.index("//") + 1)
    assert (second.codes, second.reason) == (("SHM201", "MEM102"), "two of them")
    assert third.objection and not first.objection and not second.objection


@pytest.mark.parametrize(
    ("comment", "objection"),
    [
        ("// warpgauge: ignore MEM101", "no reason"),
        ("// warpgauge: ignore MEM101:  ", "no reason"),
        ("/* warpgauge: ignore MEM101 */ x = 1;", "no reason"),
        ("// warpgauge: ignore", "names no code"),
        ("// warpgauge: ignore because I say so", "names no code"),
        ("// warpgauge: ignore MEM999 a reason", "not a code"),
        ("// warpgauge: ignore mem101 a reason", "not a code"),
        ("// warpgauge: ignore NUM501 a reason", "cannot be silenced"),
        ("// warpgauge: ignore SAF610 a reason", "cannot be silenced"),
        ("// warpgauge: ignore MEM101, SAF601 a reason", "cannot be silenced"),
        ("// warpgauge:ignore OCC301 a reason", ""),
        ("//warpgauge: ignore UTL499 a reason", "not a code"),
    ],
)
def test_what_a_comment_must_say(comment: str, objection: str) -> None:
    (found,) = ignores({"k.cu": f"x;  {comment}\n"})
    assert objection in found.objection and bool(objection) == bool(found.objection)
    assert bool(reasons_by_place((found,))) == (not objection)
    assert [(d.code, d.severity) for d in objections((found,))] == ([("PRB910", "warning")] if objection else [])


@pytest.mark.parametrize("text", ["// warpgauge ignore MEM101 x", "warpgauge: ignore MEM101 x", "// ignore MEM101 x"])
def test_other_comments_are_left_alone(text: str) -> None:
    assert ignores({"k.cu": text}) == ()


def test_two_spellings_of_one_file_count_once() -> None:
    assert len(ignores({"/a/k.cu": SOURCE, "/a/b/../k.cu": SOURCE})) == 3


def test_safety_and_numerics_are_never_silenceable() -> None:
    quiet = {code[:3] for code, row in CODES.items() if row.silenceable}
    assert quiet <= {"MEM", "SHM", "OCC", "UTL"}
    assert {"MEM", "SHM", "OCC"} <= quiet


def test_a_fail_passes_only_when_every_error_is_silenced() -> None:
    (half,) = silenced(contract("memory_access", finding("MEM101", 1), finding("MEM101", 2)))
    assert half.verdict is Verdict.FAIL
    assert [d.primary.location.line for d in half.diagnostics if d.primary] == [2]
    assert [(s.by, s.reason) for s in half.silenced] == [("comment", "read once")]
    (whole,) = silenced(contract("memory_access", finding("MEM101", 1)))
    assert (whole.verdict, whole.diagnostics, whole.measured) == (Verdict.PASS, (), 0.1)
    (warned,) = silenced(contract("memory_access", finding("MEM101", 1), finding("MEM102", 2)))
    assert warned.verdict is Verdict.PASS and len(warned.diagnostics) == 1


def test_the_code_and_the_line_must_both_fit() -> None:
    rows = (contract("memory_access", finding("MEM101", 3)), contract("bank_conflicts", finding("SHM201", 1)))
    assert silenced(*rows) == rows


@pytest.mark.parametrize("code", ["SAF602", "NUM501"])
def test_safety_and_numerics_stay(code: str) -> None:
    text = f"x;  // warpgauge: ignore {code} a reason\n"
    row = contract("safety", finding(code, 1))
    assert Silencing().rows((row,), {"k.cu": text}, "p", "c") == (row,)


def test_unknown_stays_unknown_and_an_unexplained_fail_stays_fail() -> None:
    (row,) = silenced(contract("memory_access", finding("MEM101", 1), verdict=Verdict.UNKNOWN))
    assert row.verdict is Verdict.UNKNOWN
    # An error of another kind, or only a warning, silenced: nothing says that the failure was about it.
    (row,) = silenced(contract("memory_access", finding("MEM102", 3)))
    assert row.verdict is Verdict.FAIL


def test_without_comments_nothing_is_silenced() -> None:
    row = contract("memory_access", finding("MEM101", 1))
    strict = Silencing(comments=False)
    assert silenced(row, silencing=strict) == (row,)
    assert strict.warnings({"k.cu": SOURCE}) == [] and len(Silencing().warnings({"k.cu": SOURCE})) == 1


def answered() -> Evaluation:
    return evaluation(*silenced(contract("memory_access", finding("MEM101", 1))), sources={"k.cu": SOURCE})


def test_silenced_findings_are_counted_in_every_output() -> None:
    from tests.unit.test_render_check import rendered

    found = answered()
    (candidate,) = json.loads(json.dumps(check_json([found])))["candidates"]
    assert [(s["code"], s["by"], s["reason"]) for s in candidate["silenced"]] == [("MEM101", "comment", "read once")]
    assert candidate["contracts"][0]["silenced"] == 1 and candidate["verdict"] == "PASS"
    assert "MEM101" not in {d["code"] for d in candidate["diagnostics"]}

    (run,) = check_sarif([found])["runs"]
    (result,) = [r for r in run["results"] if r["ruleId"] == "MEM101"]
    assert result["suppressions"] == [{"kind": "inSource", "status": "accepted", "justification": "read once"}]
    assert run["properties"]["candidates"][0]["silenced"] == 1

    text = rendered(found)
    assert "memory access: 1 finding silenced (1 by a comment)\n  MEM101 k.cu:1: read once\n" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "memory access: 1 finding silenced (1 by a comment)" in check_markdown([found])
