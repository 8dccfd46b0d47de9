"""Permuted orders of blocks and warps: the same bits, or a finding that names the sum that depends on the order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.virtual.orders import ARRAY, FLOATS, SAME, TOTAL, found, judge, launch, line_of, story
from warpgauge.contracts import Verdict
from warpgauge.evaluate import Evaluation, orders

pytestmark = pytest.mark.usefixtures("ptx_alone")

WARP_SUM = """
__device__ float warp_sum(float v) {
  for (int step = 16; step; step /= 2) v += __shfl_down_sync(~0u, v, step);
  return v;
}
"""
HEAD = """
extern "C" __global__ void kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
"""
FLOAT_SUM = (
    WARP_SUM + HEAD + "  float v = warp_sum(i < n ? x[i] : 0);\n"
    "  if (threadIdx.x % 32 == 0) atomicAdd(out, v);  // here\n}\n"
)
STRICT = "[contracts]\nnumerics = { deterministic = true }"


def verdict(evaluation: Evaluation, name: str) -> Verdict:
    (row,) = (row for row in evaluation.contracts if row.name == name)
    return row.verdict


def test_a_float_sum_by_atomics_is_named_and_passes_with_a_warning(tmp_path: Path) -> None:
    evaluation = judge(tmp_path, FLOAT_SUM)
    (finding,) = found(evaluation, "NUM506")
    assert finding.severity == "warning" and finding.evidence["cause"] == "sum"
    assert finding.primary and finding.primary.location.line == line_of(FLOAT_SUM, "here")
    assert finding.evidence["natural"] != finding.evidence["other"]
    assert finding.evidence["natural"] in finding.message and "out[0]" in finding.message
    assert verdict(evaluation, "numerics") is Verdict.PASS and evaluation.exit_code == 0, story(evaluation)
    fact = evaluation.determinism
    assert (
        fact
        and fact.equal is False
        and fact.shapes == ({"n": 777}, {"n": 3000})
        and (fact.blocks, fact.warps) == (12, 8)
    )


def test_asked_to_be_deterministic_it_fails(tmp_path: Path) -> None:
    evaluation = judge(tmp_path, FLOAT_SUM, more=STRICT)
    assert found(evaluation, "NUM506")[0].severity == "error"
    assert verdict(evaluation, "numerics") is Verdict.FAIL and evaluation.exit_code == 1


def test_an_integer_sum_by_atomics_keeps_its_bits(tmp_path: Path) -> None:
    tensors = 'x = { shape = ["n"], dtype = "i32", role = "input", init = "arange" }\n'
    tensors += 'out = { shape = [1], dtype = "i32", role = "inout", init = "zeros" }'
    source = HEAD.replace("float*", "int*") + "  if (i < n) atomicAdd(out, x[i]);\n}\n"
    evaluation = judge(tmp_path, source, tensors=tensors, more=STRICT, tolerance="abs = 0.0")
    assert not found(evaluation, "NUM506"), story(evaluation)
    fact = evaluation.determinism
    assert fact and fact.equal and fact.coverage.done == fact.coverage.total == 8
    assert fact.provenance.kind == "counted"
    assert evaluation.exit_code == 0, story(evaluation)


LAST_BLOCK = (
    WARP_SUM
    + """
__device__ float partial[64];
__device__ int done;
"""
    + HEAD
    + """
  __shared__ float sums[8];
  __shared__ bool last;
  float v = warp_sum(i < n ? x[i] : 0);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int w = 0; w < 8; w++) all += sums[w];
    partial[blockIdx.x] = all;
    __threadfence();
    last = atomicAdd(&done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    float all = 0;
    for (int b = 0; b < gridDim.x; b++) all += ((volatile float*)partial)[b];
    *out = all;
    done = 0;
  }
}
"""
)


def test_a_tree_whose_last_block_adds_in_a_fixed_order_keeps_its_bits(tmp_path: Path) -> None:
    evaluation = judge(tmp_path, LAST_BLOCK, more=STRICT)
    assert evaluation.determinism and evaluation.determinism.equal, story(evaluation)
    assert evaluation.exit_code == 0, story(evaluation)


APPEND = """
extern "C" __global__ void kernel(const float* x, float* out, int* count, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  bool mine = i < n;
  unsigned all = __ballot_sync(~0u, mine);
  int lane = threadIdx.x % 32, first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(all));  // ticket
  first = __shfl_sync(~0u, first, 0);
  if (mine) out[first + __popc(all & ((1u << lane) - 1))] = x[i];  // store
}
"""


def test_an_append_in_order_of_arrival_names_its_output_and_the_atomics(tmp_path: Path) -> None:
    """Right in natural order only, so the permuted runs also miss the tolerance."""
    tensors = ARRAY + '\ncount = { shape = [1], dtype = "i32", role = "inout", init = "zeros" }'
    reference = "def expected(x, count, n):\n    return {'out': x, 'count': count + n}\n"
    evaluation = judge(
        tmp_path,
        APPEND,
        tensors=tensors,
        reference=reference,
        launches=launch(args="x out count n"),
        tolerance="abs = 0.0",
    )
    (finding,) = found(evaluation, "NUM506")
    assert finding.evidence["tensor"] == "out" and finding.evidence["cause"] == "unknown"
    assert finding.primary and finding.primary.location.line == line_of(APPEND, "store")
    assert line_of(APPEND, "ticket") in [span.location.line for span in finding.related]
    (wrong,) = found(evaluation, "NUM502")
    assert "permutation 0" in wrong.message
    assert verdict(evaluation, "numerics") is Verdict.FAIL and verdict(evaluation, "safety") is Verdict.PASS


CHAIN = (
    HEAD.replace("float* out", "{word} float* out")
    + """
  if (i < n) out[i] = x[i] + (blockIdx.x ? out[i - 256] : 0.0f);  // chain
}
"""
)
CUMULATED = """
def expected(x):
    out = x.copy()
    for i in range(256, len(x)):
        out[i] += out[i - 256]
    return out
"""


@pytest.mark.parametrize("word", ["", "volatile"])
def test_a_chain_that_is_right_in_the_order_of_the_blocks_only_is_found(tmp_path: Path, word: str) -> None:
    """Plain accesses also race; volatile ones do not, and still the values are those of one order."""
    tensors = ARRAY.replace('role = "output"', 'role = "inout", init = "zeros"')
    reference = CUMULATED.replace("expected(x)", "expected(x, out)")
    evaluation = judge(tmp_path, CHAIN.replace("{word}", word), tensors=tensors, reference=reference)
    (finding,) = found(evaluation, "NUM506")
    assert finding.primary and finding.primary.location.line == line_of(CHAIN, "chain")
    assert finding.evidence["cause"] == ("unknown" if word else "race")
    assert bool(found(evaluation, "SAF602")) == (not word)
    assert verdict(evaluation, "numerics") is Verdict.FAIL and found(evaluation, "NUM502"), story(evaluation)


SHARED_SUM = (
    WARP_SUM + HEAD + "  __shared__ float all;\n  if (threadIdx.x == 0) all = 0;\n  __syncthreads();\n"
    "  float v = warp_sum(i < n ? x[i] : 0);\n  if (threadIdx.x % 32 == 0) atomicAdd(&all, v);  // here\n"
    "  __syncthreads();\n  if (threadIdx.x == 0) out[blockIdx.x] = all;\n}\n"
)
CAS_SUM = (
    WARP_SUM
    + """
__device__ void add(float* at, float v) {
  int old = *(volatile int*)at, seen;
  do {
    seen = old;
    old = atomicCAS((int*)at, seen, __float_as_int(__int_as_float(seen) + v));  // here
  } while (old != seen);
}
"""
    + HEAD
    + "  float v = warp_sum(i < n ? x[i] : 0);\n  if (threadIdx.x % 32 == 0) add(out, v);\n}\n"
)
SCRATCH_SUM = FLOAT_SUM.replace("float* out, int n", "float* scratch, int n").replace(
    "atomicAdd(out", "atomicAdd(scratch"
)
SCRATCH_SUM += 'extern "C" __global__ void finish(const float* scratch, float* out) { *out = *scratch * 2; }\n'


def test_a_sum_of_warps_in_shared_memory_is_named(tmp_path: Path) -> None:
    tensors = FLOATS + 'out = { shape = ["ceildiv(n, 256)"], dtype = "f32", role = "output" }'
    reference = "import numpy as np\n\n\ndef expected(x):\n    return np.add.reduceat(x, range(0, len(x), 256))\n"
    evaluation = judge(tmp_path, SHARED_SUM, tensors=tensors, reference=reference)
    (finding,) = found(evaluation, "NUM506")
    assert finding.primary and finding.primary.location.line == line_of(SHARED_SUM, "here"), story(evaluation)


def test_a_loop_of_compare_and_swap_is_named(tmp_path: Path) -> None:
    evaluation = judge(tmp_path, CAS_SUM)
    (finding,) = found(evaluation, "NUM506")
    assert finding.evidence["cause"] == "exchange"
    assert finding.primary and finding.primary.location.line == line_of(CAS_SUM, "here"), story(evaluation)


# Lanes that have left are still read: what is in their registers was left there by whoever ran before.
LEFT_OVER = """
extern "C" __global__ void kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int step = 4; step; step /= 2) v += __shfl_xor_sync(~0u, v, step, 8);  // here
  if (i % 8 == 0) out[i / 8] = v;
}
"""


def test_a_value_that_nothing_defined_is_named(tmp_path: Path) -> None:
    tensors = FLOATS + 'out = { shape = ["ceildiv(n, 8)"], dtype = "f32", role = "output" }'
    reference = "def expected(x):\n    return [x[k : k + 8].sum() for k in range(0, x.size, 8)]\n"
    (finding,) = found(judge(tmp_path, LEFT_OVER, tensors=tensors, reference=reference), "NUM506")
    assert finding.evidence["cause"] == "undefined" and finding.evidence["count"] == 1
    assert finding.primary and finding.primary.location.line == line_of(LEFT_OVER, "here")


def test_a_sum_in_a_workspace_is_named_although_another_launch_stores_the_output(tmp_path: Path) -> None:
    launches = '[workspace.scratch]\ndtype = "f32"\nshape = [1]\n' + launch(args="x scratch n")
    launches += launch("finish", 1, 1, "scratch out")
    evaluation = judge(
        tmp_path, SCRATCH_SUM, launches=launches, reference="def expected(x):\n    return 2 * x.sum(keepdims=True)\n"
    )
    (finding,) = found(evaluation, "NUM506")
    assert finding.evidence["cause"] == "sum" and "made from" in finding.message
    assert finding.primary and finding.primary.location.line == line_of(SCRATCH_SUM, "here"), story(evaluation)


FIRST = (
    """
__device__ int turn;
"""
    + HEAD
    + """
  if (threadIdx.x == 0 && atomicAdd(&turn, 1) == 0 && blockIdx.x != 0) __trap();  // here
  if (i < n) out[i] = x[i];
}
"""
)


def test_a_fault_that_only_another_order_reaches_fails_safety(tmp_path: Path) -> None:
    evaluation = judge(tmp_path, FIRST, tensors=ARRAY, reference=SAME)
    (fault,) = found(evaluation, "SAF613")
    assert fault.primary and fault.primary.location.line == line_of(FIRST, "here") and "permutation" in fault.message
    assert verdict(evaluation, "safety") is Verdict.FAIL
    assert verdict(evaluation, "numerics") is Verdict.UNKNOWN, story(evaluation)
    assert evaluation.determinism and evaluation.determinism.equal is None


COPY = HEAD + "  if (i < n) out[i] = x[i];\n}\n"


def test_the_judged_shape_is_permuted_where_no_small_one_has_several_blocks(tmp_path: Path) -> None:
    evaluation = judge(tmp_path, COPY, tensors=ARRAY, reference=SAME, small=(77,))
    fact = evaluation.determinism
    assert fact and fact.equal and fact.shapes == ({"n": 77}, {"n": 3000}) and fact.blocks == 12


def test_one_warp_has_no_order(tmp_path: Path) -> None:
    one = launch(grid=1, block=32)
    evaluation = judge(tmp_path, COPY, tensors=ARRAY, reference=SAME, n=30, small=(), launches=one, more=STRICT)
    fact = evaluation.determinism
    assert fact and fact.equal and not fact.shapes and evaluation.exit_code == 0


def test_what_is_too_expensive_to_repeat_is_not_known_to_be_deterministic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, "MOST_INSTRUCTIONS", 0)
    evaluation = judge(tmp_path, COPY, tensors=ARRAY, reference=SAME, more=STRICT)
    assert evaluation.determinism and evaluation.determinism.equal is None and evaluation.determinism.reason
    assert verdict(evaluation, "numerics") is Verdict.UNKNOWN and evaluation.exit_code == 3
    lenient = judge(tmp_path, COPY, tensors=ARRAY, reference=SAME)
    assert verdict(lenient, "numerics") is Verdict.PASS


def test_only_truth_values_say_whether_a_result_must_be_deterministic(tmp_path: Path) -> None:
    from warpgauge.diagnostics import WarpgaugeError

    for wrong in ("numerics = { deterministic = 1 }", "memory_access = { site_floor = true }"):
        with pytest.raises(WarpgaugeError, match="takes"):
            judge(tmp_path, COPY, tensors=TOTAL, more=f"[contracts]\n{wrong}")
