"""Baseline files: what is known stays quiet, what is new does not, and a bad file is an error that leaves it alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.hand_evaluation import BLOCKS, COUNTED, evaluation
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.diagnostics import CODES, Diagnostic, Span, WarpgaugeError
from warpgauge.evaluate import Evaluation, Silencing, load_baseline, write_baseline
from warpgauge.evidence import Location

LINE = "  a = x[i * n];"


def found(folder: Path, *codes: str, line: int = 2, text: str = LINE, candidate: str = "c") -> Evaluation:
    """An evaluation whose only contract has these findings, all at one line of `folder`/k.cu."""
    file = str(folder / "k.cu")
    findings = tuple(
        Diagnostic(code, CODES[code].severity, f"{code} no. {index}", Span(Location(file, line)))
        for index, code in enumerate(codes)
    )
    verdict = Verdict.FAIL if any(d.severity == "error" for d in findings) else Verdict.PASS
    row = ContractResult("memory_access", verdict, True, 0.1, 0.75, "efficiency", COUNTED, BLOCKS, findings)
    return evaluation(row, candidate=candidate, sources={file: "\n" * (line - 1) + text}, diagnostics=findings)


def under(path: Path, e: Evaluation) -> tuple[ContractResult, ...]:
    return Silencing(baseline=load_baseline(path)).rows(e.contracts, e.sources, e.problem, e.candidate)


def test_what_was_written_is_quiet(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    (after,) = write_baseline(path, [found(tmp_path, "MEM101", "MEM102")])
    assert (after.verdict, after.exit_code, after.diagnostics) == (Verdict.PASS, 0, ())
    assert [s.by for s in after.silenced] == ["baseline", "baseline"]
    (row,) = under(path, found(tmp_path, "MEM101", "MEM102"))
    assert row.verdict is Verdict.PASS and len(row.silenced) == 2
    document = json.loads(path.read_text())
    assert document["schema"] == 1
    assert document["findings"][0] == {
        "problem": "gemm_f32", "candidate": "c", "code": "MEM101", "file": "k.cu", "line": "a = x[i * n];", "count": 1
    }  # fmt: skip
    assert list(tmp_path.iterdir()) == [path]


def test_a_finding_is_known_by_its_text_and_not_by_its_line_number(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, [found(tmp_path, "MEM101")])
    assert under(path, found(tmp_path, "MEM101", line=40, text="a  =  x[i * n];"))[0].verdict is Verdict.PASS
    assert under(path, found(tmp_path, "MEM101", text="a = x[j * n];"))[0].verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "other", [{"candidate": "d"}, {"problem": "q"}], ids=["another candidate", "another problem"]
)  # fmt: skip
def test_a_finding_of_another_is_not_known(tmp_path: Path, other: dict[str, Any]) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, [found(tmp_path, "MEM101")])
    assert under(path, replace(found(tmp_path, "MEM101"), **other))[0].verdict is Verdict.FAIL


def test_one_more_finding_of_the_same_kind_is_new(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, [found(tmp_path, "MEM101", "MEM101")])
    assert json.loads(path.read_text())["findings"][0]["count"] == 2
    (row,) = under(path, found(tmp_path, "MEM101", "MEM101", "MEM101"))
    assert (row.verdict, len(row.silenced), len(row.diagnostics)) == (Verdict.FAIL, 2, 1)


def test_a_finding_without_a_line_goes_by_its_kernel(tmp_path: Path) -> None:
    def spills(entry: str) -> Evaluation:
        finding = Diagnostic("OCC301", "error", "spills", evidence={"entry": entry})
        row = ContractResult("registers", Verdict.FAIL, diagnostics=(finding,))
        return evaluation(row, candidate="c", diagnostics=(finding,))

    path = tmp_path / "known.json"
    write_baseline(path, [spills("gemm")])
    assert under(path, spills("gemm"))[0].verdict is Verdict.PASS
    assert under(path, spills("conv"))[0].verdict is Verdict.FAIL


def test_safety_is_not_written_and_cannot_be_written_in(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    (after,) = write_baseline(path, [found(tmp_path, "SAF602")])
    assert after.verdict is Verdict.FAIL and json.loads(path.read_text())["findings"] == []
    entry = {"problem": "p", "candidate": "c", "code": "SAF602", "file": "k.cu", "line": "x", "count": 1}
    path.write_text(json.dumps({"schema": 1, "findings": [entry]}))
    with pytest.raises(WarpgaugeError, match="SAF602 cannot be silenced"):
        load_baseline(path)


def test_writing_keeps_other_candidates_and_drops_what_is_fixed(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, [found(tmp_path, "MEM101", "MEM102"), found(tmp_path, "MEM101", candidate="d")])
    write_baseline(path, [found(tmp_path, "MEM102")])
    assert [(e["candidate"], e["code"]) for e in json.loads(path.read_text())["findings"]] == [
        ("c", "MEM102"),
        ("d", "MEM101"),
    ]


def test_an_unusable_candidate_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, [found(tmp_path, "MEM101")])
    before = path.read_bytes()
    broken = Evaluation("gemm_f32", "c", diagnostics=(Diagnostic("PRB901", "error", "no"),), unusable=True)
    assert write_baseline(path, [broken]) == [broken]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "JSON"),
        ("[]", "baseline file"),
        ('{"schema": 2, "findings": []}', "schema"),
        ('{"schema": 1}', "findings"),
        ('{"schema": 1, "findings": [], "more": 1}', "more"),
        ('{"schema": 1, "findings": [{"code": "MEM101"}]}', "findings.0"),
    ],
)
def test_a_file_that_is_no_baseline(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    for use in (lambda: load_baseline(path), lambda: write_baseline(path, [found(tmp_path, "MEM101")])):
        with pytest.raises(WarpgaugeError) as caught:
            use()
        (finding,) = caught.value.diagnostics
        assert finding.code == "PRB901" and word in finding.message
    assert path.read_text() == text


def test_a_file_that_is_missing_or_cannot_be_written(tmp_path: Path) -> None:
    for use in (
        lambda: load_baseline(tmp_path / "none.json"),
        lambda: write_baseline(tmp_path / "no" / "x.json", [found(tmp_path, "MEM101")]),
    ):
        with pytest.raises(WarpgaugeError) as caught:
            use()
        assert caught.value.diagnostics[0].code == "PRB907"
    assert list(tmp_path.iterdir()) == []


def test_equal_findings_give_equal_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    write_baseline(one, [found(tmp_path, "MEM102"), found(tmp_path, "MEM101", candidate="a")])
    write_baseline(other, [found(tmp_path, "MEM101", candidate="a"), found(tmp_path, "MEM102")])
    assert one.read_bytes() == other.read_bytes()
