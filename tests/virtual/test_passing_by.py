"""Lanes that a full mask names and that never come: gone before, gone around, or on their way to another place."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.candidate import load_trace_launch
from warpgauge.evaluate.trace import trace_kernel

LAUNCH = """
entry = "k"
grid = 1
block = 32
args = [{ name = "x", dtype = "i32", shape = [32], init = "arange" }, { name = "y", dtype = "i32", shape = [32] }]
"""
RETURNS = """
extern "C" __global__ void k(const int* x, int* y) {
  int t = threadIdx.x, v = x[t];
  if (t >= 20) LEAVE
  for (int k = 0; k < 5; ++k) v += __shfl_sync(0xffffffff, v, k);
  y[t] = v;
}
"""
GOES_AROUND = """
extern "C" __global__ void k(const int* x, int* y) {
  int t = threadIdx.x, v = x[t];
  if (t % 2) v += __shfl_xor_sync(0xffffffff, v, 2);
  MORE
  y[t] = v;
}
"""
LOOP = """
extern "C" __global__ void k(const int* x, int* y) {
  int t = threadIdx.x, v = x[t], n = 0;
  for (int k = 1; k < 9; ++k) {
    if (v % 11 == k) {
      y[t] = k * 1000 + n;
      return;
    }
    n += __popc(__ballot_sync(0xffffffff, v % k == 0));
  }
  y[t] = n;
}
"""


def findings(folder: Path, source: str) -> set[tuple[str, bool]]:
    """(code, whether it is a warning) of every fault."""
    (folder / "kernel.cu").write_text(source)
    (folder / "launch.toml").write_text(LAUNCH)
    result = trace_kernel(folder / "kernel.cu", "k", load_trace_launch(folder / "launch.toml"))
    return {(fault.code, fault.warning) for fault in result.faults}


@pytest.mark.parametrize(
    "leave",
    [
        "return;",
        "{ int w = v; for (int k = 0; k < 3; ++k) w = w * 5 + k; y[t] = w; return; }",
        "{ for (int k = 0; k < t; ++k) v = v * 3 + k; y[t] = v; return; }",
    ],
)
def test_who_returned_before_is_no_finding(tmp_path: Path, leave: str) -> None:
    assert findings(tmp_path, RETURNS.replace("LEAVE", leave)) == set()


@pytest.mark.parametrize(
    "more",
    ["", "v += 3;", "for (int k = 0; k < t % 3; ++k) v = v * 3 + k;", "if (v > 5) y[t] = 1;"],
)
def test_who_goes_around_is_warned_of(tmp_path: Path, more: str) -> None:
    assert findings(tmp_path, GOES_AROUND.replace("MORE", more)) == {("SAF608", True)}


@pytest.mark.parametrize("more", ["__syncwarp();", "v += __shfl_xor_sync(0xffffffff, v, 1);", "__syncthreads();"])
def test_who_comes_to_another_one_is_an_error(tmp_path: Path, more: str) -> None:
    assert ("SAF608", False) in findings(tmp_path, GOES_AROUND.replace("MORE", more))


def test_a_return_from_a_loop_is_at_most_a_warning(tmp_path: Path) -> None:
    """The compiler merges its store with the one at the end: machine code does not say any more who returned."""
    assert findings(tmp_path, LOOP) <= {("SAF608", True)}
