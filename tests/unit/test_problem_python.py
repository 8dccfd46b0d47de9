"""Python references and inits: run in a child process, only when evaluated, with errors that name file and line."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.problem import Problem, compute_reference, decode, load_problem, make_inputs

TEXT = """\
[problem]
name = "p"
arch = "sm_90"
[dims]
n = 6
[tensors]
x = { shape = ["n"], dtype = "bf16", role = "input", init = "arange" }
k = { shape = ["n"], dtype = "i32", role = "input", init = "arange" }
y = { shape = ["n"], dtype = "f32", role = "output" }
[reference]
python = "reference.py:function"
scalars = { alpha = 2.0 }
[tolerance]
rel_l2 = 1e-6
"""


def load(folder: Path, code: str, text: str = TEXT) -> Problem:
    (folder / "problem.toml").write_text(text)
    (folder / "reference.py").write_text(code)
    return load_problem(folder)


def reference(problem: Problem, timeout: float = 60.0) -> dict[str, np.ndarray]:
    inputs = make_inputs(problem, problem.dims)
    return dict(compute_reference(problem, problem.dims, inputs, timeout=timeout).outputs)


def failure(folder: Path, code: str, text: str = TEXT, timeout: float = 60.0) -> Diagnostic:
    problem = load(folder, code, text)
    with pytest.raises(WarpgaugeError) as error:
        reference(problem, timeout)
    [diagnostic] = error.value.diagnostics
    assert diagnostic.code == "PRB906" and diagnostic.primary is not None
    assert "reference.py:function" in diagnostic.message
    return diagnostic


def test_parameters_are_filled_by_name(tmp_path: Path) -> None:
    code = """
import numpy as np
from neighbour import SHIFT
def function(x, n, alpha, unused=None):
    assert x.dtype == np.float64 and unused is None
    print("not part of the protocol")
    return alpha * x + n + SHIFT
"""
    (tmp_path / "neighbour.py").write_text("SHIFT = 100\n")
    outputs = reference(load(tmp_path, code))
    assert outputs["y"].tolist() == [2.0 * i + 106 for i in range(6)]
    assert outputs["y"].dtype == np.float64


def test_the_file_runs_in_another_process(tmp_path: Path) -> None:
    code = """
import os, numpy as np
def function(n):
    return np.full(n, float(os.getpid()))
"""
    import os

    outputs = reference(load(tmp_path, code))
    assert outputs["y"][0] != os.getpid() and "reference" not in sys.modules


def test_rest_parameters_get_everything_and_integers_stay_integers(tmp_path: Path) -> None:
    code = """
def function(**given):
    assert sorted(given) == ["alpha", "k", "n", "x"], sorted(given)
    assert given["k"].dtype.kind == "i"
    return {"y": given["x"] + given["k"]}
"""
    assert reference(load(tmp_path, code))["y"].tolist() == [2.0 * i for i in range(6)]


def test_a_python_reference_has_no_bound_for_floats(tmp_path: Path) -> None:
    problem = load(tmp_path, "def function(x): return x\n")
    inputs = make_inputs(problem, problem.dims)
    assert compute_reference(problem, problem.dims, inputs).bound == {"y": None}
    integers = load(tmp_path, "def function(k): return k\n", TEXT.replace('"f32"', '"i32"'))
    result = compute_reference(integers, integers.dims, make_inputs(integers, integers.dims))
    assert result.bound["y"] is not None and result.outputs["y"].dtype == np.int32


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("def function(x):\n    y = x\n    return 1 / 0\n", 3, "ZeroDivisionError: division by zero"),
        ("import nothing_like_this\n", 1, "No module named 'nothing_like_this'"),
        ("def function(x:\n", 1, "SyntaxError"),
    ],
)
def test_an_exception_names_the_line_of_the_file(tmp_path: Path, code: str, line: int, message: str) -> None:
    diagnostic = failure(tmp_path, code)
    assert message in diagnostic.message and diagnostic.primary is not None
    assert diagnostic.primary.location.file == str(tmp_path / "reference.py")
    assert diagnostic.primary.location.line == line


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def other(x): return x\n", "reference.py has no function function"),
        ("def function(z): return z\n", "no value for parameter z; available: alpha, k, n, x"),
        ("def function(x): return x[:3]\n", "returned y with the shape [3], not [6]"),
        ("def function(x): return {'w': x}\n", "returned w; y needed"),
        ("def function(x): return 'text'\n", "not an array of numbers"),
        ("def function(x): return {}\n", "returned nothing; y needed"),
        ("import os\ndef function(x): os._exit(7)\n", "ended with status 7"),
        ("import sys\ndef function(x): sys.exit(0)\n", "SystemExit"),
    ],
)
def test_other_failures_point_at_the_key(tmp_path: Path, code: str, message: str) -> None:
    diagnostic = failure(tmp_path, code)
    assert message in diagnostic.message
    assert diagnostic.primary is not None and diagnostic.message.startswith("reference.python")


def test_a_function_that_never_ends_is_stopped(tmp_path: Path) -> None:
    diagnostic = failure(tmp_path, "def function(x):\n    while True: pass\n", timeout=1.0)
    assert "did not return within 1 s" in diagnostic.message
    assert diagnostic.primary is not None and diagnostic.primary.location.line == 11


def test_a_missing_file(tmp_path: Path) -> None:
    problem = load(tmp_path, "")
    (tmp_path / "reference.py").unlink()
    with pytest.raises(WarpgaugeError) as error:
        reference(problem)
    assert error.value.diagnostics[0].code == "PRB907"


def test_python_inits(tmp_path: Path) -> None:
    text = TEXT.replace('init = "arange" }\nk', 'init = { python = "reference.py:values" } }\nk')
    code = """
def values(shape, n, rng, dtype):
    assert shape == (n,) and dtype == "bf16"
    return rng.integers(0, 100, shape)
def function(x): return x
"""
    problem = load(tmp_path, code, text)
    first, again, other = (make_inputs(problem, problem.dims, seed=seed)["x"] for seed in (0, 0, 1))
    assert first.tobytes() == again.tobytes() and first.tobytes() != other.tobytes()
    assert decode(first, "bf16").min() >= 0 and decode(first, "bf16").max() < 100
    with pytest.raises(WarpgaugeError) as error:
        make_inputs(load(tmp_path, "def values(n): return [0] * (n + 1)\n", text), {"n": 6})
    [diagnostic] = error.value.diagnostics
    assert diagnostic.code == "PRB906" and "shape [7], not [6]" in diagnostic.message
    assert diagnostic.primary is not None and diagnostic.primary.location.line == 7
