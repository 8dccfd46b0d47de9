"""Silencing, `init` and the forms of `check` on kernels that are really compiled and executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from warpgauge.commands.main import main

DATA = Path(__file__).parents[1] / "data"
COLUMN = """\
extern "C" __global__ void axpy(float alpha, const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x, j = (i * 8) % n;
  if (i < n) out[j] = alpha * x[j] + y[j];@
}
"""
SMALL = "n = 1001 # a prime to 8, so that j takes every value once\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert main(["init", str(tmp_path / "p")]) == 0
    return tmp_path / "p"


def judged(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["check", str(folder), "--json", *options])
    (candidate,) = json.loads(capsys.readouterr().out)["candidates"]
    return code, candidate


def strided(folder: Path, comment: str = "") -> None:
    problem = (folder / "problem.toml").read_text()
    (folder / "problem.toml").write_text(problem.replace("n = 1000003 ", SMALL))
    (folder / "kernel.cu").write_text(COLUMN.replace("@", comment))


def test_what_init_writes_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, candidate = judged(folder, capsys)
    assert (code, candidate["verdict"], candidate["diagnostics"]) == (0, "PASS", [])
    verdicts = {row["name"]: row["verdict"] for row in candidate["contracts"]}
    assert all(verdicts[name] == "PASS" for name in ("memory_access", "bank_conflicts", "numerics", "safety"))


def test_a_comment_with_a_reason_silences_a_real_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strided(folder)
    code, before = judged(folder, capsys)
    found = [d["code"] for d in before["diagnostics"]]
    assert code == 1 and set(found) == {"MEM101"}
    strided(folder, "  // warpgauge: ignore MEM101 the order is given by the caller")
    code, after = judged(folder, capsys)
    assert (code, after["verdict"], after["diagnostics"]) == (0, "PASS", [])
    assert [s["code"] for s in after["silenced"]] == found
    assert {s["reason"] for s in after["silenced"]} == {"the order is given by the caller"}
    code, strict = judged(folder, capsys, "--strict")
    assert (code, strict["silenced"]) == (1, []) and [d["code"] for d in strict["diagnostics"]] == found


def test_a_comment_without_a_reason_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strided(folder, "  // warpgauge: ignore MEM101")
    code, candidate = judged(folder, capsys)
    assert code == 1 and {d["code"] for d in candidate["diagnostics"]} == {"MEM101", "PRB910"}
    (warning,) = (d for d in candidate["diagnostics"] if d["code"] == "PRB910")
    assert (warning["severity"], warning["primary"]["line"]) == ("warning", 3)


def test_a_race_cannot_be_silenced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strided(folder, "  // warpgauge: ignore SAF602, MEM101 it is fine")
    text = (folder / "kernel.cu").read_text().replace("out[j]", "out[0]")
    (folder / "kernel.cu").write_text(text)
    code, candidate = judged(folder, capsys)
    assert code == 1 and {"SAF602", "PRB910"} <= {d["code"] for d in candidate["diagnostics"]}


def test_a_baseline_keeps_the_old_and_shows_the_new(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strided(folder)
    baseline = folder / "known.json"
    assert main(["check", str(folder), "--baseline", str(baseline), "--write-baseline"]) == 0
    text = (folder / "kernel.cu").read_text()
    (folder / "kernel.cu").write_text("// a line more\n" + text)
    code, candidate = judged(folder, capsys, "--baseline", str(baseline))
    assert (code, candidate["diagnostics"]) == (0, []) and candidate["silenced"]
    (folder / "kernel.cu").write_text(text.replace("y[j];", "y[j] * 1.0f;"))
    code, candidate = judged(folder, capsys, "--baseline", str(baseline))
    assert (code, candidate["silenced"]) == (1, [])


def test_stop_on_fail_does_not_stop_at_what_is_silenced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strided(folder, "  // warpgauge: ignore MEM101 known")
    code, candidate = judged(folder, capsys, "--stop-on-fail")
    assert (code, candidate["verdict"]) == (0, "PASS")


def test_sarif_of_a_real_evaluation_is_valid(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    strided(folder)
    monkeypatch.chdir(folder.parent)
    capsys.readouterr()
    assert main(["check", "p", "--sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    jsonschema.Draft4Validator(json.loads((DATA / "sarif-2.1.0.schema.json").read_text())).validate(log)
    results = log["runs"][0]["results"]
    places = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    regions = [r["locations"][0]["physicalLocation"]["region"] for r in results]
    assert places == {"p/kernel.cu"}
    assert all(region["startLine"] == 3 and region["startColumn"] < region["endColumn"] for region in regions)


def test_diff_of_two_real_evaluations(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def write(name: str) -> str:
        capsys.readouterr()
        main(["check", str(folder), "--json"])
        (folder / name).write_text(capsys.readouterr().out)
        return str(folder / name)

    good = write("good.json")
    strided(folder)
    bad = write("bad.json")
    assert [main(["diff", *pair]) for pair in ((good, bad), (bad, good), (bad, bad))] == [1, 0, 0]
