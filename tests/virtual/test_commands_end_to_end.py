"""`check` and `trace` from the command line to JSON, on kernels that the virtual GPU really executes."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from warpgauge.commands.main import main

PROBLEM = """\
[problem]
name = "scale"
arch = "sm_90"
[dims]
rows = 64
cols = 96
[[shapes]]
role = "small"
rows = 13
cols = 7
[tensors]
x = { shape = ["rows", "cols"], dtype = "f32", role = "input" }
y = { shape = ["rows", "cols"], dtype = "f32", role = "output" }
[reference]
builtin = "scale"
scalars = { alpha = 2.0 }
[tolerance]
rel_l2 = 0.0
"""
CANDIDATE = """\
[candidate]
source = "scale.cu"
[[launch]]
entry = "scale"
grid = ["ceildiv(cols, 32)", "ceildiv(rows, 8)"]
block = [32, 8]
args = ["x", "y", "rows", "cols", "alpha"]
"""
SOURCE = """\
extern "C" __global__ void scale(const float* x, float* y, int rows, int cols, float alpha) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r < rows && c < cols) {
    y[r * cols + c] = alpha * x[r * cols + c];
  }
}
"""

LAUNCH = """\
grid = [2]
block = [32]
args = [
  { name = "x", dtype = "f32", shape = [80], init = "arange" },
  { name = "y", dtype = "f32", shape = [4, 16] },
  { dtype = "i32", value = 64 },
]
"""
COPY = """\
extern "C" __global__ void copy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + 8];
}
"""


def schema(name: str) -> Any:
    return json.loads(files("warpgauge").joinpath(f"schemas/{name}.schema.json").read_text())


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Judges the source (after one replacement) and returns the exit code and the only candidate of the JSON."""

    def run(old: str = "", new: str = "", *options: str) -> tuple[int, dict[str, Any]]:
        assert old in SOURCE
        (tmp_path / "problem.toml").write_text(PROBLEM)
        (tmp_path / "candidate.toml").write_text(CANDIDATE)
        (tmp_path / "scale.cu").write_text(SOURCE.replace(old, new) if old else SOURCE)
        code = main(["check", str(tmp_path), "--json", *options])
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, schema("check"))
        (candidate,) = document["candidates"]
        return code, candidate

    return run


def rows(candidate: dict[str, Any]) -> dict[str, str]:
    return {row["name"]: row["verdict"] for row in candidate["contracts"]}


def codes(candidate: dict[str, Any]) -> set[str]:
    return {diagnostic["code"] for diagnostic in candidate["diagnostics"]}


def test_a_correct_kernel_passes(check: Any) -> None:
    code, candidate = check()
    assert (code, candidate["verdict"]) == (0, "PASS")
    # The problem names no chip, which occupancy depends on, and sets no target.
    assert {verdict for name, verdict in rows(candidate).items() if name not in ("occupancy", "target")} == {"PASS"}
    assert candidate["diagnostics"] == []


@pytest.mark.parametrize(
    ("old", "new", "contract", "found", "line"),
    [
        ("alpha * x[r * cols + c]", "alpha * x[c * rows + r]", "memory_access", "MEM101", 4),
        ("r < rows && c < cols", "r < rows", "safety", "SAF603", 4),
        ("alpha * x[r * cols + c]", "(r == 1 && c == 2 ? 0.0f : alpha) * x[r * cols + c]", "numerics", "NUM502", 4),
        ("r < rows && c < cols", "r < rows && c < cols && r + c > 0", "numerics", "NUM505", 4),
        ("float alpha) {", "float alpha) {\n  alpha = bias;", "build", "SRC801", 2),
    ],
)
def test_a_seeded_fault_fails_its_contract_at_its_line(
    check: Any, old: str, new: str, contract: str, found: str, line: int
) -> None:
    code, candidate = check(old, new)
    assert (code, rows(candidate)[contract]) == (1, "FAIL")
    places = [d["primary"] for d in candidate["diagnostics"] if d["code"] == found]
    assert [(Path(place["file"]).name, place["line"]) for place in places] == [("scale.cu", line)]


def test_what_nobody_supports_is_unknown(check: Any) -> None:
    exotic = 'asm volatile("brkpt;");\n  if (r < rows && c < cols) {'
    code, candidate = check("if (r < rows && c < cols) {", exotic)
    assert (code, rows(candidate)["safety"], rows(candidate)["registers"]) == (3, "UNKNOWN", "PASS")
    assert {"SRC802", "PRB909"} <= codes(candidate)


def test_the_architecture_can_be_overridden(check: Any) -> None:
    code, candidate = check("", "", "--arch", "sm_80", "--only", "memory_access")
    assert (code, rows(candidate)) == (0, {"memory_access": "PASS"})


def test_equal_inputs_give_equal_bytes(tmp_path: Path, check: Any, capsys: pytest.CaptureFixture[str]) -> None:
    check("alpha * x[r * cols + c]", "alpha * x[c * rows + r]")
    texts = set()
    for _ in range(2):
        main(["check", str(tmp_path), "--json"])
        texts.add(capsys.readouterr().out)
    assert len(texts) == 1


def test_trace_counts_and_hands_buffers_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "copy.cu").write_text(COPY)
    (tmp_path / "launch.toml").write_text(LAUNCH)
    argv = ["trace", str(tmp_path / "copy.cu"), "--entry", "copy", "--launch", str(tmp_path / "launch.toml"), "--json"]
    assert main([*argv, "--out", str(tmp_path / "out")]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("trace"))
    assert document["counters"]["global_load_sectors"] == document["counters"]["global_store_sectors"] == 8
    assert {(s["line"], s["op"], s["bytes_per_lane"], s["requests"]) for s in document["sites"]} == {
        (3, "load", 4, 2),
        (3, "store", 4, 2),
    }
    y = np.load(document["outputs"]["y"])
    assert y.shape == (4, 16) and y.reshape(-1).tolist() == list(range(8, 72))


def test_a_fault_sets_the_exit_code_and_not_the_counters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "copy.cu").write_text(COPY.replace("i + 8", "i + 17"))
    (tmp_path / "launch.toml").write_text(LAUNCH)
    argv = ["trace", str(tmp_path / "copy.cu"), "--entry", "copy", "--launch", str(tmp_path / "launch.toml")]
    assert main([*argv, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("trace"))
    (fault,) = document["faults"]
    assert (fault["code"], fault["line"], fault["block"], fault["thread"]) == ("SAF603", 3, [1, 0, 0], [31, 0, 0])
    assert document["counters"]["global_store_requests"] == 2
    assert main(argv) == 1
    assert "error[SAF603]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("launch", "code"),
    [
        (LAUNCH.replace("grid", "gird"), "PRB901"),
        (LAUNCH.replace("[32]", "[4096]"), "PRB904"),
        (LAUNCH.replace('  { dtype = "i32", value = 64 },\n', ""), "PRB905"),
        (LAUNCH.replace("64 }", "64.5 }").replace("i32", "f64"), "PRB905"),
    ],
)
def test_a_launch_that_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str], launch: str, code: str) -> None:
    (tmp_path / "copy.cu").write_text(COPY)
    (tmp_path / "launch.toml").write_text(launch)
    argv = ["trace", str(tmp_path / "copy.cu"), "--entry", "copy", "--launch", str(tmp_path / "launch.toml"), "--json"]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"error[{code}]" in err
