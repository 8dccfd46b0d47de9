"""`warpgauge sass`: a problem's candidate with its predicted time, a source alone, and what is refused."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from warpgauge.commands.main import main

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(files("warpgauge").joinpath("schemas/sass.schema.json").read_text())
SOURCE = """
extern "C" __global__ void k(const float* x, float* y, int n) {
  float held[64], sum = 0.f;
  for (int i = 0; i < 64; ++i) held[i] = 0.f;
  for (int i = 0; i < n; ++i) held[(i * n) % 64] += x[i];
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum = sum * 0.5f + x[i * n] * held[i % 64];
  y[threadIdx.x] = sum;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    return path


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict:
    assert main(["sass", *argv, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    return found


def test_a_problem_gives_a_predicted_time(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, str(ROOT / "examples" / "transpose"))
    assert found["provenance"] == {"kind": "predicted", "detail": "loop model"}
    (kernel,) = found["kernels"]
    time = kernel["time"]
    assert time["seconds"] == pytest.approx(time["cycles"] / 1.98e9)
    assert time["cycles"] >= time["memory_cycles"] > 0 and kernel["no_time"] == ""
    outside = kernel["stretches"][0]
    assert (outside["kind"], outside["passes"]) == ("outside of loops", 1.0)
    assert {load["space"] for load in outside["loads"]} >= {"global"}


def test_a_source_has_loops_and_local_traffic_but_no_time(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, str(source), "--arch", "sm_90a")
    (kernel,) = found["kernels"]
    assert kernel["time"] is None and "no launch" in kernel["no_time"]
    assert kernel["instruction_cache_bytes"] is None
    last = SOURCE.splitlines().index("  for (int i = 0; i < n; ++i) sum = sum * 0.5f + x[i * n] * held[i % 64];") + 1
    (loop,) = (s for s in kernel["stretches"] if s["depth"] and {row["line"] for row in s["lines"]} == {last})
    assert loop["mix"]["fp32"] >= 1 and loop["mix"]["local memory"] == 1 and loop["bound"] == "latency"
    (load,) = (load for load in loop["loads"] if load["space"] == "global")
    assert load["line"] == last and load["instructions_to_use"] >= 0
    assert last in {row["line"] for row in kernel["local"] if row["loads"]}
    assert any(row["stores"] for row in kernel["local"])


def test_the_terminal_says_that_it_predicts(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sass", str(source)]) == 0
    out = capsys.readouterr().out
    assert "predicted" in out and "instruction cache of sm_90: unknown" in out
    assert "tensor instructions: none (sm_90 has HMMA)" in out
    assert "Local memory" in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["k.cu", "--candidate", "candidate.toml"], "--candidate needs a problem"),
        (["k.cu", "--entry", "nothing"], "'nothing' not found"),
        ([str(ROOT / "examples" / "transpose"), "--entry", "nothing"], "no launch of 'nothing'"),
        (["k.cu", "--arch", "sm_110"], "no limits known for 'sm_110'"),
        (["k.cu", "--arch", "sm_1"], "cannot build for 'sm_1'"),
    ],
)
def test_what_is_refused(
    argv: list[str], words: str, source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(source.parent)
    assert main(["sass", *argv]) == 2
    assert words in capsys.readouterr().err.replace("\n", " ")
