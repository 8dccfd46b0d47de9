"""A contract from `new-check`, end to end: its own test runs and can fail; its row counts like any other."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from warpgauge.commands.main import main

SCHEMA = json.loads(files("warpgauge").joinpath("schemas/check.schema.json").read_text())
SARIF = json.loads((Path(__file__).parents[1] / "data" / "sarif-2.1.0.schema.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert main(["new-check", "mine", "--folder", str(tmp_path)]) == 0
    return tmp_path


def check(
    folder: Path, capsys: pytest.CaptureFixture[str], candidate: str, *more: str
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Exit code, the candidate's object and the row of the contract."""
    capsys.readouterr()
    code = main(["check", str(folder), "--candidate", str(folder / "candidates" / candidate), "--json", *more])
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)
    (found,) = document["candidates"]
    return code, found, next(row for row in found["contracts"] if row["name"] == "mine")


def own_test(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def test_its_test_runs_and_can_fail(folder: Path) -> None:
    assert "2 passed" in own_test(folder).stdout
    contract = folder / "mine.py"
    contract.write_text(contract.read_text().replace("if site.bytes_per_lane < asked", "if site.bytes_per_lane < 0"))
    broken = own_test(folder)
    assert broken.returncode == 1 and "1 failed, 1 passed" in broken.stdout


def test_pass_and_fail_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found, row = check(folder, capsys, "good.toml")
    assert (code, found["verdict"], row["verdict"], row["measured"], row["asked"]) == (0, "PASS", "PASS", 16, 16)
    code, found, row = check(folder, capsys, "bad.toml")
    assert (code, found["verdict"], row["verdict"], row["measured"]) == (1, "FAIL", "FAIL", 4)
    own = [d for d in found["diagnostics"] if d["code"] == "USR001"]
    assert {(Path(d["primary"]["file"]).name, d["primary"]["line"]) for d in own} == {("bad.cu", 4)}


def test_one_that_only_advises_fails_nobody(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = folder / "problem.toml"
    problem.write_text(problem.read_text().replace("bind = true", "bind = false"))
    code, found, row = check(folder, capsys, "bad.toml")
    assert (code, found["verdict"], row["verdict"], row["binds"]) == (0, "PASS", "FAIL", False)


def test_only_and_skip_know_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found, _ = check(folder, capsys, "bad.toml", "--only", "mine")
    assert code == 1 and [row["name"] for row in found["contracts"]] == ["mine"]
    assert main(["check", str(folder), "--candidate", str(folder / "candidates" / "bad.toml"), "--skip", "mine"]) == 0
    assert "USR001" not in capsys.readouterr().out


@pytest.mark.parametrize("body", ["    raise ValueError('broken')\n", "    return True\n"])
def test_a_broken_one_is_unknown(folder: Path, capsys: pytest.CaptureFixture[str], body: str) -> None:
    (folder / "mine.py").write_text(f"def judge(case, thresholds):\n{body}")
    code, found, row = check(folder, capsys, "good.toml", "--only", "mine")
    assert (code, row["verdict"]) == (3, "UNKNOWN")
    (note,) = (d for d in found["diagnostics"] if d["code"] == "PRB909")
    assert "mine.py:judge failed" in note["message"]


def test_a_source_that_does_not_compile(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "candidates" / "good.cu").write_text("nonsense")
    code, _, row = check(folder, capsys, "good.toml")
    assert (code, row["verdict"]) == (1, "UNKNOWN")


def test_every_report_has_the_row_and_the_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["check", str(folder), "--candidate", str(folder / "candidates" / "bad.toml")]
    capsys.readouterr()
    assert main(command) == 1
    terminal = capsys.readouterr().out
    assert "mine           FAIL" in terminal and "error[USR001]" in terminal and "out[i] = 2.0f * in[i];" in terminal
    assert main([*command, "--markdown"]) == 1
    markdown = capsys.readouterr().out
    assert "| mine | FAIL |" in markdown and "USR001" in markdown
    assert main([*command, "--sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    places = [rules[result["ruleIndex"]] for result in run["results"]]
    assert places == [result["ruleId"] for result in run["results"]] and "USR001" in places
    assert main(["explain", "USR001"]) == 0 and "own contract" in capsys.readouterr().out


def test_the_function_of_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "new-check.md").read_text()
    (function,) = re.findall(r"^```python\n(.*?)^```$", page, re.S | re.M)
    (folder / "mine.py").write_text(function)
    problem = folder / "problem.toml"
    text = problem.read_text()
    for most, verdict in ((255, "PASS"), (1, "FAIL")):
        problem.write_text(text.replace("least_bytes = 16", f"most_registers = {most}"))
        assert check(folder, capsys, "good.toml", "--only", "mine")[2]["verdict"] == verdict


def test_the_candidate_cannot_silence_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = folder / "candidates" / "bad.cu"
    source.write_text(source.read_text().replace("in[i];", "in[i];  // warpgauge: ignore USR001 because I say so"))
    code, found, row = check(folder, capsys, "bad.toml")
    assert (code, row["verdict"], row["silenced"]) == (1, "FAIL", 0)
    assert "PRB910" in {d["code"] for d in found["diagnostics"]}
