"""`check --sarif`: valid by the official schema, and every finding is where it should be."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.unit.hand_evaluation import SOURCE, evaluation, row
from warpgauge.contracts import Verdict
from warpgauge.diagnostics import CODES, Diagnostic, Span
from warpgauge.diagnostics.sarif import fingerprint, location, rule, uri
from warpgauge.evaluate import Evaluation
from warpgauge.evidence import Location
from warpgauge.report.check_sarif import check_sarif

OFFICIAL = json.loads((Path(__file__).parents[1] / "data" / "sarif-2.1.0.schema.json").read_text())
VALIDATOR = jsonschema.Draft4Validator(OFFICIAL, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
UNUSABLE = Evaluation("p", "broken", diagnostics=(Diagnostic("PRB901", "error", "no"),), unusable=True)


def log(*evaluations: Evaluation) -> dict[str, Any]:
    return json.loads(json.dumps(check_sarif(evaluations), allow_nan=False))


def every_code() -> Evaluation:
    findings = tuple(
        Diagnostic(code, CODES[code].severity, f"{code} here", Span(Location("kernel.cu", 5, 3), 4)) for code in CODES
    )
    return evaluation(row(Verdict.PASS), diagnostics=findings)


@pytest.mark.parametrize(
    "evaluations",
    [(evaluation(),), (evaluation(), evaluation(row(Verdict.PASS), candidate="b")), (UNUSABLE,), (every_code(),)],
)
def test_the_log_is_valid(evaluations: tuple[Evaluation, ...]) -> None:
    VALIDATOR.validate(log(*evaluations))


def test_the_schema_notices_a_slip() -> None:
    for break_ in (
        lambda run: run["results"][0].pop("message"),
        lambda run: run["results"][0].update(level="fatal"),
        lambda run: run["results"][1]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
        lambda run: run["tool"].pop("driver"),
    ):
        broken = copy.deepcopy(log(evaluation()))
        break_(broken["runs"][0])
        assert not VALIDATOR.is_valid(broken)


def test_every_finding_is_a_result_with_its_rule() -> None:
    found = evaluation()
    (run,) = log(found)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [r["ruleId"] for r in run["results"]] == [d.code for d in found.diagnostics]
    assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert [r["level"] for r in run["results"]] == [d.severity for d in found.diagnostics]
    assert [r["id"] for r in rules] == sorted((r["id"] for r in rules), key=list(CODES).index)
    assert "suppressions" not in run["results"][0]


def test_a_rule_carries_its_page() -> None:
    for code in CODES:
        made = rule(code)
        assert made["help"]["markdown"].startswith(f"# {code}: {CODES[code].title}")
        assert made["help"]["text"] and made["fullDescription"]["text"]
        assert made["name"].isalnum() and made["defaultConfiguration"]["level"] == CODES[code].severity


def test_places_have_lines_columns_and_related_ones() -> None:
    results = {r["ruleId"]: r for r in log(evaluation())["runs"][0]["results"]}
    race = results["SAF601"]
    (physical,) = (place["physicalLocation"] for place in race["locations"])
    line = SOURCE.splitlines()[6]
    assert physical["artifactLocation"] == {"uri": "kernel.cu"}
    assert physical["region"] == {"startLine": 7, "startColumn": 22, "endColumn": len(line) + 1}
    (related,) = race["relatedLocations"]
    assert related["id"] == 1 and related["message"] == {"text": "earlier write"}
    assert related["physicalLocation"]["region"]["startLine"] == 6
    assert results["PRB908"]["locations"] == []
    # An unknown column marks the text of the line, from the first character after its tab.
    memory = results["MEM101"]["locations"][0]["physicalLocation"]["region"]
    assert (memory["startColumn"], memory["endColumn"]) == (2, len(SOURCE.splitlines()[4]) + 1)


def test_a_file_without_a_line_or_a_text_has_less_of_a_region() -> None:
    assert "region" not in location(Span(Location("p.toml", 0)), {})["physicalLocation"]
    assert location(Span(Location("p.toml", 3, 5)), {})["physicalLocation"]["region"] == {
        "startLine": 3,
        "startColumn": 5,
    }


def test_uris_are_relative_inside_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert uri(os.path.abspath("a b/ü#.cu")) == "a%20b/%C3%BC%23.cu"
    assert uri(str(tmp_path / "k.cu")) == (tmp_path / "k.cu").as_uri()


def test_the_run_says_verdicts_and_exit_code() -> None:
    (run,) = log(evaluation(), evaluation(row(Verdict.PASS), candidate="b"))["runs"]
    assert [(c["name"], c["verdict"]) for c in run["properties"]["candidates"]] == [
        ("lanes_over_rows", "FAIL"),
        ("b", "PASS"),
    ]
    assert run["properties"]["candidates"][0]["contracts"][0]["measured"] == 0.125
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    assert log(UNUSABLE)["runs"][0]["invocations"] == [{"executionSuccessful": False, "exitCode": 2}]
    assert run["automationDetails"] == {"id": "warpgauge/gemm_f32/"}


def test_a_fingerprint_survives_edits_elsewhere() -> None:
    def at(line: int, text: str, code: str = "MEM101") -> str:
        finding = Diagnostic(code, "error", f"at {line}", Span(Location("k.cu", line)))
        return fingerprint(finding, {"k.cu": "\n" * (line - 1) + text}, "p", "c")

    assert at(3, "a = x[i];") == at(9, "  a = x[i];")
    assert len({at(3, "a = x[i];"), at(3, "a = x[j];"), at(3, "a = x[i];", "MEM102")}) == 3


def test_equal_evaluations_give_equal_bytes() -> None:
    assert len({json.dumps(check_sarif([evaluation()])) for _ in range(3)}) == 1
