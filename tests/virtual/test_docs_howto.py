"""README.md shows what its command prints; the examples of docs/check.md and docs/trace.md do what the pages say."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from warpgauge.commands.main import main
from warpgauge.evaluate import check_files

DOCS = Path(__file__).parents[2] / "docs"
TRANSPOSE = """
template <int TILE, int PAD> __global__ void tiled(const float* in, float* out, int rows, int cols) {}
extern "C" __global__ void transpose(const float* in, float* out, int rows, int cols) {
  int col = blockIdx.x * 32 + threadIdx.x;
  for (int row = blockIdx.y * 32 + threadIdx.y; row < blockIdx.y * 32 + 32; row += 8)
    out[col * rows + row] = in[row * cols + col];
}
"""


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text(), re.S | re.M)


def test_the_readme_shows_what_its_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(DOCS.parent)
    monkeypatch.setenv("COLUMNS", "80")
    page = (DOCS.parent / "README.md").read_text()
    ((command, expected),) = re.findall(r"^```\n\$ \.venv/bin/warpgauge (.*?)\n(.*?)^```$", page, re.S | re.M)
    assert main(shlex.split(command)) == 1
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == expected.splitlines()


def test_the_problem_of_the_page_passes(tmp_path: Path) -> None:
    problem, candidate = blocks("check.md", "toml")[:2]
    (tmp_path / "problem.toml").write_text(problem)
    (tmp_path / "candidate.toml").write_text(candidate)
    (tmp_path / "scale_rows.cu").write_text(blocks("check.md", "cuda")[0])
    (tmp_path / "reference.py").write_text(blocks("check.md", "python")[0])
    (evaluation,) = check_files(tmp_path)
    assert (evaluation.exit_code, evaluation.diagnostics) == (0, ())
    assert {"memory_access", "registers", "numerics", "safety"} <= {
        row.name for row in evaluation.contracts if row.binds
    }


def test_the_launch_of_the_page_is_traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "launch.toml").write_text(blocks("trace.md", "toml")[0])
    (tmp_path / "transpose.cu").write_text(TRANSPOSE)
    command = ["trace", "transpose.cu", "--launch", "launch.toml", "--json", "--entry"]
    assert main([*command, "transpose", "--out", "buffers"]) == 0
    document = json.loads(capsys.readouterr().out)
    # 1024 x 1024 floats: rows are read in 4 sectors per request, columns are written in 32.
    assert document["counters"]["global_load_sectors"] == 4 * 1024 * 32
    assert document["counters"]["global_store_sectors"] == 32 * 1024 * 32
    assert document["outputs"] == {"in": "buffers/in.npy", "out": "buffers/out.npy"}
    assert main([*command, "tiled<32, 1>"]) == 0
