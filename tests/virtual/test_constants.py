"""`[constants]` fill `__constant__` memory before every call, by name, and only that; globals start anew each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpgauge.candidate import dump_candidate, load_candidate
from warpgauge.contracts import Verdict
from warpgauge.evaluate import Evaluation, evaluate
from warpgauge.problem import load_problem

SOURCE = """
__constant__ float plain[2] = {7.0f, 7.0f};
static __constant__ float hidden;
namespace deep { namespace er { __constant__ float table[3]; } }
__constant__ int untouched = 2;
__device__ int calls = 0;

extern "C" __global__ void poly(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (plain[0] + plain[1] * x[i] + hidden) * untouched + deep::er::table[2] + calls;
}
extern "C" __global__ void count(int) { if (threadIdx.x == 0) calls += 1; }
"""
PROBLEM = """
[problem]
name = "poly"
arch = "sm_90"
[dims]
n = 200
[[shapes]]
role = "small"
n = 33
[tensors]
x = { shape = ["n"], dtype = "f32", role = "input", init = "normal" }
y = { shape = ["n"], dtype = "f32", role = "output" }
[reference]
python = "reference.py:poly"
[tolerance]
rel_l2 = 1e-6
"""
# The two launches of `count` before the last one are seen by it in every call, and by no other call.
REFERENCE = """
def poly(x, n):
    return (0.5 + 3.0 * x + 0.25) * 2 + 200 + 2
"""
LAUNCHES = (
    """
[candidate]
source = "kernel.cu"
"""
    + '[[launch]]\nentry = "count"\ngrid = 1\nblock = 32\nargs = [{ i32 = 0 }]\n' * 2
    + """
[[launch]]
entry = "poly"
grid = "ceildiv(n, 64)"
block = 64
args = ["x", "y", "n"]
"""
)
CONSTANTS = """
[constants]
plain = { dtype = "f32", values = [0.5, 3] }
hidden = { dtype = "f32", values = [0.25] }
"deep::er::table" = { dtype = "f32", file = "table.npy" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("kernel.cu", SOURCE), ("problem.toml", PROBLEM), ("reference.py", REFERENCE)):
        (tmp_path / name).write_text(text)
    np.save(tmp_path / "table.npy", np.array([1, 1, 200], np.float32))
    return tmp_path


def judged(folder: Path, constants: str) -> Evaluation:
    (folder / "candidate.toml").write_text(LAUNCHES + constants)
    return evaluate(load_problem(folder), load_candidate(folder), only=["numerics", "safety"])


def story(result: Evaluation) -> str:
    return "\n".join(
        [d.message for d in result.diagnostics] + [f"{c.name} {c.verdict} {c.reason}" for c in result.contracts]
    )


def test_variables_hold_what_the_file_says_in_every_call(folder: Path) -> None:
    result = judged(folder, CONSTANTS)
    assert [c.verdict for c in result.contracts] == [Verdict.PASS, Verdict.PASS], story(result)
    wrong = judged(folder, CONSTANTS.replace("0.25", "0.26"))
    assert Verdict.FAIL in [c.verdict for c in wrong.contracts]


def test_a_mangled_symbol_is_a_name_too(folder: Path) -> None:
    constants = CONSTANTS.replace('"deep::er::table"', "_ZN4deep2er5tableE")
    result = judged(folder, constants)
    assert [c.verdict for c in result.contracts] == [Verdict.PASS, Verdict.PASS], story(result)
    assert load_candidate(folder).constants.keys() == {"plain", "hidden", "_ZN4deep2er5tableE"}


def test_names_with_namespaces_survive_writing(folder: Path) -> None:
    (folder / "candidate.toml").write_text(LAUNCHES + CONSTANTS)
    read = load_candidate(folder)
    (folder / "candidate.toml").write_text(dump_candidate(read))
    assert load_candidate(folder).model_dump() == read.model_dump()


@pytest.mark.parametrize(
    ("old", "new", "message", "help"),
    [
        ("hidden", "hiden", 'the module has no __constant__ variable "hiden"', '"hidden"'),
        ("hidden", "calls", '"calls" is a __device__ variable', "argument"),
        ("[0.5, 3]", "[0.5, 3, 1]", "12 bytes for a variable of 8", ""),
        ('"f32", values = [0.5, 3]', '"f64", values = [0.5, 3]', "16 bytes for a variable of 8", ""),
    ],
)
def test_what_does_not_fit_is_named_at_its_line(folder: Path, old: str, new: str, message: str, help: str) -> None:
    result = judged(folder, CONSTANTS.replace(old, new))
    (found,) = result.diagnostics
    assert (found.code, result.exit_code) == ("PRB905", 2)
    assert message in found.message and help in found.help
    assert found.primary is not None
    line = (folder / "candidate.toml").read_text().splitlines()[found.primary.location.line - 1]
    assert line.startswith(new if old == "hidden" else "plain")
