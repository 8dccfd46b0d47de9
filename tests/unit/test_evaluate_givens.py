"""Inputs and references: made once, beside the build, from a seed that only the candidate decides."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

import warpgauge.evaluate.givens as module
from warpgauge.candidate import load_candidate, load_trace_launch, room, trace_plan
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evaluate import Givens
from warpgauge.evaluate.seed import input_seed
from warpgauge.problem import Problem, load_problem

PROBLEM = """\
[problem]
name = "sum"
arch = "sm_90"
[dims]
n = 100
[tensors]
x = { shape = ["n"], dtype = "f32", role = "input", init = "normal" }
y = { shape = ["n"], dtype = "f32", role = "output" }
[reference]
builtin = "copy"
"""
CANDIDATE = """\
[candidate]
source = "k.cu"
[[launch]]
entry = "k"
grid = 1
block = 32
args = ["x", "y"]
[constants.table]
dtype = "f32"
file = "table.npy"
"""


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    (tmp_path / "problem.toml").write_text(PROBLEM)
    return load_problem(tmp_path)


def test_what_was_prepared_is_what_is_asked_for(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    real = module.make_inputs

    def counted(problem: Problem, dims: dict[str, int], **options: object) -> object:
        made.append(dims["n"])
        time.sleep(0.05)
        return real(problem, dims, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "make_inputs", counted)
    with Givens(problem, 5) as givens:
        givens.prepare([({"n": 100}, "declared"), ({"n": 7}, "declared")])
        first, second = givens.of({"n": 100}, "declared"), givens.of({"n": 7}, "declared")
    assert sorted(made) == [7, 100]
    assert np.array_equal(first.inputs["x"], real(problem, {"n": 100}, seed=5)["x"])
    assert (second.inputs["x"].size, second.reference.outputs["y"].size) == (7, 7)


def test_an_error_while_preparing_is_told_to_who_asks(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise module_error

    module_error = MemoryError("no room")
    monkeypatch.setattr(module, "make_inputs", broken)
    with Givens(problem) as givens:
        givens.prepare([({"n": 100}, "declared")])
        with pytest.raises(MemoryError, match="no room"):
            givens.of({"n": 100}, "declared")


def test_everything_that_a_candidate_brings_is_part_of_the_seed(problem: Problem, tmp_path: Path) -> None:
    (tmp_path / "candidate.toml").write_text(CANDIDATE)
    candidate = load_candidate(tmp_path)
    files = {str(tmp_path / "k.cu"): b"one", str(tmp_path / "k.h"): b"two"}
    seeds = [input_seed(problem, candidate, files)]
    assert input_seed(problem, load_candidate(tmp_path), dict(reversed(files.items()))) == seeds[0]
    seeds.append(input_seed(problem, candidate, files | {str(tmp_path / "k.h"): b"twO"}))
    seeds.append(input_seed(problem, candidate, {str(tmp_path / "k.cu"): b"onetwo"}))
    np.save(tmp_path / "table.npy", np.arange(3))
    seeds.append(input_seed(problem, candidate, files))
    (tmp_path / "candidate.toml").write_text(CANDIDATE.replace("block = 32", "block = 64"))
    seeds.append(input_seed(problem, load_candidate(tmp_path), files))
    (tmp_path / "problem.toml").write_text(PROBLEM.replace("n = 100", "n = 101"))
    seeds.append(input_seed(load_problem(tmp_path), load_candidate(tmp_path), files))
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize(
    ("shape", "words"),
    [('["2 ** 40", "2 ** 20"]', "the largest is"), ("[4000]", "this machine has"), ("[2000]", "")],
)
def test_buffers_of_a_trace_must_fit(shape: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two buffers of 16,000 bytes need 128,000 here, and two of 8,000 half of that."""
    monkeypatch.setattr(room, "machine_bytes", lambda: 100_000)
    arguments = ", ".join(f'{{ name = "{name}", dtype = "f32", shape = {shape} }}' for name in "ab")
    (tmp_path / "launch.toml").write_text(f"grid = 1\nblock = 32\nargs = [{arguments}]\n")
    launch = load_trace_launch(tmp_path / "launch.toml")
    if not words:
        assert trace_plan(launch, "k", arch="sm_90").buffers.keys() == {"a", "b"}
        return
    with pytest.raises(WarpgaugeError) as error:
        trace_plan(launch, "k", arch="sm_90")
    (found,) = error.value.diagnostics
    assert found.code == "PRB904" and words in found.message
    assert found.primary and found.primary.location.line == 3
