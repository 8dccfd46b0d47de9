"""`trace` outside the virtual GPU: files are written whole, the exit code follows the faults."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import warpgauge.evaluate
from tests.unit.hand_evaluation import FAULT, TRACE
from warpgauge.commands.main import main
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evaluate import TraceResult, save_outputs
from warpgauge.evidence import Location, Unsupported

ARGV = ["trace", "k.cu", "--entry", "copy", "--launch", "launch.toml"]


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[TraceResult]:
    """What the next trace answers."""
    answer = [TRACE]
    monkeypatch.setattr(warpgauge.evaluate, "load_launch", lambda path: None)
    monkeypatch.setattr(warpgauge.evaluate, "trace_kernel", lambda *_, **__: answer[-1])
    return answer


def test_json_is_all_that_stdout_gets(traced: list[TraceResult], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGV, "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["outputs"] == {}
    assert err == ""


def test_an_incomplete_trace_says_so_beside_its_json(
    traced: list[TraceResult], capsys: pytest.CaptureFixture[str]
) -> None:
    traced.append(replace(TRACE, faults=(), completed=False, stopped="tex.2d"))
    assert main([*ARGV, "--json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["kernel"] == "copy"
    assert err == "warpgauge: copy did not run to its end: tex.2d\n"


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (TRACE, 1),
        (replace(TRACE, faults=()), 0),
        (replace(TRACE, faults=(), completed=False, stopped="tex.2d"), 3),
        (replace(TRACE, faults=(replace(FAULT, warning=True),)), 0),
    ],
)
def test_exit_codes(traced: list[TraceResult], result: TraceResult, code: int) -> None:
    traced.append(result)
    assert main(ARGV) == code


def test_a_reader_sees_counters_sites_and_faults(traced: list[TraceResult], capsys: pytest.CaptureFixture[str]) -> None:
    unsupported = Unsupported("tex.2d", Location("k.cu", 9), 80, True)
    traced.append(replace(TRACE, unsupported=(unsupported,), completed=False, stopped="unsupported"))
    main(ARGV)
    out = capsys.readouterr().out
    assert "copy  grid 4 x 1 x 1, block 32 x 1 x 1" in out
    assert any(line.split() == ["global", "load", "sectors", "16"] for line in out.splitlines())
    assert any(
        line.split() == ["kernel.cu:5", "shared", "load", "4", "1", "32", "wavefronts", "1"]
        for line in out.splitlines()
    )
    assert "error[SAF603]: A[128] lies past the end of A" in out
    assert "error[SRC802]" in out and "tex.2d" in out
    assert max(map(len, out.splitlines())) <= 80


def test_buffers_are_written_by_name(
    traced: list[TraceResult], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traced.append(replace(TRACE, outputs={"out": np.arange(6, dtype=np.float32).reshape(2, 3)}))
    main([*ARGV, "--json", "--out", str(tmp_path / "new" / "dir")])
    (path,) = json.loads(capsys.readouterr().out)["outputs"].values()
    assert np.load(path).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_outputs(TRACE, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WarpgaugeError, match="PRB907"):
        save_outputs(TRACE, tmp_path / "file" / "dir")


LAUNCH = 'grid = [1]\nblock = [32]\nargs = [{ name = "p", dtype = "f32", shape = [32] }]\n'
ONE = 'extern "C" __global__ void one(float* p) { p[threadIdx.x] = 1; }\n'
TWO = 'extern "C" __global__ void two(float* p) { p[threadIdx.x] = 2; }\n'


def test_the_only_kernel_needs_no_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.cu").write_text(ONE)
    (tmp_path / "launch.toml").write_text(LAUNCH)
    argv = ["trace", str(tmp_path / "k.cu"), "--launch", str(tmp_path / "launch.toml"), "--json"]
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out)["kernel"] == "one"
    (tmp_path / "k.cu").write_text(ONE + TWO)
    assert main(argv) == 2
    err = capsys.readouterr().err
    assert "error[PRB903]" in err and "name it with --entry: one, two" in err
    (tmp_path / "launch.toml").write_text('entry = "two"\n' + LAUNCH)
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out)["kernel"] == "two"
