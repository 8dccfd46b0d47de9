"""A workspace that is reset "once": the second call finds it as the first one left it."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.candidate import load_candidate
from warpgauge.evaluate import Evaluation, evaluate
from warpgauge.problem import load_problem

PROBLEM = """
[problem]
name = "total"
arch = "sm_90"

[dims]
n = 4096

[[shapes]]
role = "small"
n = 333

[tensors]
x = { shape = ["n"], dtype = "i32", role = "input", init = "uniform" }
y = { shape = [1], dtype = "i32", role = "output" }

[reference]
python = "reference.py:total"

[tolerance]
rel_l2 = 0.0
"""
CANDIDATE = """
[candidate]
source = "kernel.cu"

[workspace.state]
dtype = "u32"
shape = [2]
reset = "{reset}"

[[launch]]
entry = "total"
grid = ["ceildiv(n, 256)", 1, 1]
block = [256, 1, 1]
args = ["x", "state", "y", "n"]
"""
# The last block writes the sum, and should leave counter and sum as it found them.
KERNEL = """
extern "C" __global__ void total(const int* x, unsigned* state, int* y, int n) {
  __shared__ bool last;
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&state[0], (unsigned)x[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&state[1], 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    y[0] = (int)atomicAdd(&state[0], 0u);
    CLEAN
  }
}
"""


def judged(folder: Path, reset: str, clean: str) -> Evaluation:
    (folder / "problem.toml").write_text(PROBLEM)
    (folder / "candidate.toml").write_text(CANDIDATE.replace("{reset}", reset))
    (folder / "reference.py").write_text("def total(x):\n    return x.sum(keepdims=True)\n")
    (folder / "kernel.cu").write_text(KERNEL.replace("CLEAN", clean))
    return evaluate(load_problem(folder), load_candidate(folder), only=["numerics", "safety"])


@pytest.mark.parametrize(
    ("reset", "clean", "code"),
    [
        ("each call", "", 0),
        ("once", "state[0] = 0; state[1] = 0;", 0),
        ("once", "", 1),
        ("once", "state[1] = 0;", 1),
        ("once", "state[0] = 0;", 1),
    ],
)
def test_what_a_call_leaves_is_what_the_next_one_finds(tmp_path: Path, reset: str, clean: str, code: int) -> None:
    evaluation = judged(tmp_path, reset, clean)
    assert evaluation.exit_code == code, [d.message for d in evaluation.diagnostics]
    if code:
        found = [d for d in evaluation.diagnostics if d.severity == "error"]
        assert found and all("n=333" in d.message and "second call on kept workspaces" in d.message for d in found)
