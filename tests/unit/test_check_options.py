"""`check`'s options: one form at a time, baselines from the command line, contradictions that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import warpgauge.evaluate
from tests.unit.hand_evaluation import evaluation, row
from tests.unit.test_silence_baseline import found
from warpgauge.commands.main import main
from warpgauge.contracts import Verdict
from warpgauge.diagnostics import Diagnostic
from warpgauge.evaluate import Evaluation, Silencing


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """`check` finds one MEM101 in `tmp_path`/k.cu; what it was asked for is in the result."""
    seen: dict[str, Any] = {"answer": [found(tmp_path, "MEM101")]}

    def check_files(*_: object, silencing: Silencing, **more: Any) -> list[Evaluation]:
        seen.update(more, silencing=silencing)
        return [
            Evaluation(
                e.problem,
                e.candidate,
                rows := silencing.rows(e.contracts, e.sources, e.problem, e.candidate),
                tuple(d for r in rows for d in r.diagnostics),
                unusable=e.unusable,
                sources=e.sources,
            )
            for e in seen["answer"]
        ]

    monkeypatch.setattr(warpgauge.evaluate, "check_files", check_files)
    return seen


@pytest.mark.parametrize(
    ("form", "start"), [("--json", "{"), ("--sarif", "{"), ("--markdown", "### "), (None, "gemm_f32: c  FAIL")]
)
def test_every_form(asked: dict[str, Any], capsys: pytest.CaptureFixture[str], form: str | None, start: str) -> None:
    assert main(["check", "p.toml", *([form] if form else [])]) == 1
    out, err = capsys.readouterr()
    assert out.startswith(start) and "MEM101" in out and err == ""


@pytest.mark.parametrize("pair", [("--json", "--sarif"), ("--sarif", "--markdown"), ("--json", "--markdown")])
def test_one_form_at_a_time(capsys: pytest.CaptureFixture[str], pair: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["check", "p.toml", *pair])
    assert exit_.value.code == 2 and capsys.readouterr().out == ""


@pytest.mark.parametrize("form", ["--json", "--sarif", "--markdown"])
@pytest.mark.parametrize(("verdict", "code"), [(Verdict.PASS, 0), (Verdict.FAIL, 1), (Verdict.UNKNOWN, 3), (None, 2)])
def test_the_form_does_not_change_the_exit_code(
    asked: dict[str, Any], form: str, verdict: Verdict | None, code: int
) -> None:
    broken = Evaluation("p", "c", diagnostics=(Diagnostic("PRB901", "error", "no"),), unusable=True)
    asked["answer"] = [evaluation(row(verdict)) if verdict else broken]
    assert main(["check", "p.toml", form]) == code


def test_a_baseline_is_written_then_used(
    asked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "known.json"
    assert main(["check", "p.toml", "--baseline", str(path), "--write-baseline"]) == 0
    assert asked["silencing"].baseline is None
    assert "memory access: 1 finding silenced (1 by the baseline)" in capsys.readouterr().out
    assert main(["check", "p.toml", "--baseline", str(path), "--json"]) == 0
    (candidate,) = json.loads(capsys.readouterr().out)["candidates"]
    assert (candidate["verdict"], candidate["diagnostics"]) == ("PASS", [])
    assert [s["by"] for s in candidate["silenced"]] == ["baseline"]
    asked["answer"] = [found(tmp_path, "MEM101", "MEM101")]
    assert main(["check", "p.toml", "--baseline", str(path)]) == 1


def test_a_baseline_that_is_missing_is_an_error(asked: dict[str, Any], tmp_path: Path) -> None:
    assert main(["check", "p.toml", "--baseline", str(tmp_path / "none.json")]) == 2
    assert "silencing" not in asked


def test_nothing_is_written_for_a_candidate_that_cannot_be_judged(asked: dict[str, Any], tmp_path: Path) -> None:
    asked["answer"] = [Evaluation("p", "c", diagnostics=(Diagnostic("PRB901", "error", "no"),), unusable=True)]
    assert main(["check", "p.toml", "--baseline", str(tmp_path / "b.json"), "--write-baseline"]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [["--only", "safety"], ["--skip", "safety"], ["--stop-on-fail"]])
def test_a_baseline_needs_every_finding(
    asked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert main(["check", "p.toml", "--baseline", str(tmp_path / "b.json"), "--write-baseline", *options]) == 2
    assert "needs every finding" in capsys.readouterr().err and list(tmp_path.iterdir()) == []


def test_a_baseline_needs_a_name(asked: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "p.toml", "--write-baseline"]) == 2
    assert "--baseline FILE" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "comments"), [([], True), (["--strict"], False)])
def test_strict_leaves_comments_unheeded(asked: dict[str, Any], options: list[str], comments: bool) -> None:
    main(["check", "p.toml", *options])
    assert asked["silencing"].comments is comments
