"""`warpgauge diff`: what counts as worse, how findings are paired, exit codes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.hand_evaluation import ROWS, evaluation, row
from warpgauge.commands.main import main
from warpgauge.contracts import Verdict
from warpgauge.evaluate.difference import CandidateChange, Document, Finding, difference
from warpgauge.report.check_json import check_json

BEFORE = json.loads(json.dumps(check_json([evaluation(), evaluation(row(Verdict.PASS), candidate="good")])))


def changed(**edits: Any) -> dict[str, Any]:
    """The document with these paths of its first candidate set: contract__key=value, or diagnostics=[...]."""
    document = copy.deepcopy(BEFORE)
    candidate = document["candidates"][0]
    for path, value in edits.items():
        name, _, key = path.partition("__")
        holder = next((c for c in candidate["contracts"] if c["name"] == name), candidate)
        holder[key or name] = value
    return document


def compared(after: dict[str, Any], before: dict[str, Any] = BEFORE) -> CandidateChange:
    return difference(Document.model_validate(before), Document.model_validate(after)).candidates[0]


def run(tmp_path: Path, after: dict[str, Any], *options: str) -> int:
    (tmp_path / "a.json").write_text(json.dumps(BEFORE))
    (tmp_path / "b.json").write_text(json.dumps(after))
    return main(["diff", str(tmp_path / "a.json"), str(tmp_path / "b.json"), *options])


@pytest.mark.parametrize(
    ("edits", "trend"),
    [
        ({"memory_access__measured": 0.5}, "better"),
        ({"memory_access__measured": 0.1}, "worse"),
        ({"bank_conflicts__measured": 10}, "better"),
        ({"bank_conflicts__measured": 5000}, "worse"),
        ({"registers__measured": 8}, "worse"),
        ({"memory_access__verdict": "PASS"}, "better"),
        ({"registers__verdict": "FAIL"}, "worse"),
        ({"registers__verdict": "UNKNOWN"}, "worse"),
        ({"divergence__verdict": "FAIL"}, "worse"),
        ({"divergence__verdict": "PASS"}, "better"),
        ({"memory_access__verdict": "NOT ASKED"}, "worse"),
        ({"target__verdict": "PASS", "target__binds": True}, "changed"),
        ({"target__verdict": "FAIL", "target__binds": True}, "worse"),
        ({"memory_access__binds": False}, "worse"),
        ({"memory_access__asked": 0.5}, "changed"),
        ({"numerics__measured": 1e-9}, "changed"),
        ({"memory_access__unit": "share"}, "changed"),
    ],
    ids=str,
)
def test_one_contract(tmp_path: Path, edits: dict[str, Any], trend: str) -> None:
    (contract,) = compared(changed(**edits)).contracts
    assert contract.trend == trend
    assert run(tmp_path, changed(**edits)) == (1 if trend == "worse" else 0)


def test_a_binding_contract_that_is_gone_is_worse() -> None:
    after = copy.deepcopy(BEFORE)
    rows = after["candidates"][0]["contracts"]
    after["candidates"][0]["contracts"] = [r for r in rows if r["name"] not in ("memory_access", "divergence")]
    assert [(c.name, c.trend) for c in compared(after).contracts] == [
        ("memory_access", "worse"),
        ("divergence", "changed"),
    ]


def findings(*rows: tuple[str, str, str, int]) -> list[dict[str, Any]]:
    return [
        {"code": code, "severity": severity, "message": "m", "primary": {"file": file, "line": line}}
        for code, severity, file, line in rows
    ]


A, B, MOVED = ("MEM101", "error", "k.cu", 5), ("MEM101", "error", "k.cu", 9), ("MEM101", "error", "k.cu", 11)


@pytest.mark.parametrize(
    ("before", "after", "new", "fixed"),
    [
        ([A], [A], [], []),
        ([], [A], [5], []),
        ([A], [], [], [5]),
        ([A, B], [B], [], [5]),
        ([A], [B], [], []),  # moved
        ([A, B], [B, MOVED], [], []),
        ([A], [B, A], [9], []),
        ([A, A], [A], [], [5]),
        ([A], [("MEM102", "warning", "k.cu", 5)], [5], [5]),
        ([A], [("MEM101", "error", "other.cu", 5)], [5], [5]),
        ([A], [("MEM101", "error", "/elsewhere/k.cu", 7)], [], []),
    ],
)
def test_findings_are_paired(before: list[Any], after: list[Any], new: list[int], fixed: list[int]) -> None:
    found = compared(changed(diagnostics=findings(*after)), changed(diagnostics=findings(*before)))

    def lines(these: tuple[Finding, ...]) -> list[int]:
        return [f.primary.line for f in these if f.primary]

    assert (lines(found.new), lines(found.fixed)) == (new, fixed)
    assert found.worse == bool(new)


def test_a_new_note_is_not_worse() -> None:
    after = copy.deepcopy(BEFORE)
    note = {"code": "PRB909", "severity": "note", "message": "m", "primary": None}
    after["candidates"][0]["diagnostics"].append(note)
    found = compared(after)
    assert [f.code for f in found.new] == ["PRB909"] and not found.worse and found.changed


def test_a_finding_that_is_silenced_is_not_fixed() -> None:
    before = changed(diagnostics=findings(A, B))
    after = changed(diagnostics=findings(B), silenced=findings(A))
    found = compared(after, before)
    assert [len(part) for part in (found.new, found.fixed, found.silenced)] == [0, 0, 1]
    back = compared(before, after)
    assert [len(part) for part in (back.new, back.fixed, back.silenced)] == [0, 0, 0]


def test_candidates_that_come_and_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = copy.deepcopy(BEFORE)
    after["candidates"][1]["name"] = "renamed"
    assert run(tmp_path, after, "--json") == 0
    rows = json.loads(capsys.readouterr().out)["candidates"]
    assert [(r["name"], r["presence"]) for r in rows] == [
        ("lanes_over_rows", "both"),
        ("renamed", "added"),
        ("good", "removed"),
    ]


def test_nothing_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, BEFORE) == 0
    assert capsys.readouterr() == ("nothing changed\n", "")


def test_the_terminal_form_fits_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    after = changed(memory_access__measured=0.1, bank_conflicts__verdict="PASS", diagnostics=findings(A))
    assert run(tmp_path, after) == 1
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80 and "\x1b" not in out
    text = " ".join(out.split())
    assert "worse memory access: FAIL at 0.125 efficiency, asked 0.75 -> FAIL at 0.1 efficiency, asked 0.75" in text
    assert "better bank conflicts: FAIL at 1,984 conflicts, asked 0 -> PASS" in text
    assert "fixed error[SHM201] kernel.cu:7:" in text
    assert text.endswith("something got worse; 1 candidate unchanged")


def test_json_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, changed(registers__measured=8), "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["worse"] and document["problem"] == "gemm_f32"
    (contract,) = document["candidates"][0]["contracts"]
    assert (contract["name"], contract["trend"]) == ("registers", "worse")
    assert (contract["before"]["measured"], contract["after"]["measured"]) == (0, 8)
    assert not document["candidates"][1]["worse"]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("{", "PRB901", "not what"),
        ("[]", "PRB901", "not what"),
        ('{"schema": 1, "problem": "gemm_f32"}', "PRB901", "candidates"),
        ('{"schema": 2, "problem": "gemm_f32", "candidates": []}', "PRB901", "schema"),
        ('{"schema": 1, "problem": "other", "candidates": []}', "PRB901", "two problems"),
        (None, "PRB907", "cannot read"),
    ],
)
def test_a_bad_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, code: str, words: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(BEFORE))
    if text is not None:
        (tmp_path / "b.json").write_text(text)
    assert main(["diff", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"error[{code}]" in err and words in " ".join(err.split())


def test_every_row_of_the_hand_made_evaluation_is_read() -> None:
    rows = Document.model_validate(BEFORE).candidates[0].contracts
    assert [r.name for r in rows] == [r.name for r in ROWS]
