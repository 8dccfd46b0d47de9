"""A sample of the judged shape's blocks: what it may decide, and what shows that it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.virtual.orders import ARRAY, FLOATS, SAME, TOTAL, found, judge, launch, story
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evaluate import Evaluation
from warpgauge.report.check_json import check_json
from warpgauge.vgpu import cycle, sampled_blocks

N, BLOCKS, MOST = 25_000, 98, 16
RULES = f"[execution]\nsample_blocks = {MOST}"
HEAD = """
extern "C" __global__ void kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
"""
COPY = HEAD + "  if (i < n) out[i] = x[i];\n}\n"
OUTSIDE = next(block for block in range(BLOCKS) if block not in sampled_blocks((BLOCKS, 1, 1), MOST))


def sampled(folder: Path, source: str, **options: object) -> Evaluation:
    settings: dict[str, object] = {"tensors": ARRAY, "reference": SAME, "n": N, "more": RULES, **options}
    return judge(folder, source, **settings)  # type: ignore[arg-type]


def row(evaluation: Evaluation, name: str) -> ContractResult:
    return next(row for row in evaluation.contracts if row.name == name)


def undecided(evaluation: Evaluation, words: str, *, failed: tuple[str, ...] = ()) -> None:
    """No contract that needs the judged shape passes, and the reason says why."""
    for name in ("memory_access", "bank_conflicts", "numerics", "safety"):
        result = row(evaluation, name)
        if name in failed:
            assert result.verdict is Verdict.FAIL, story(evaluation)
            continue
        assert result.verdict is Verdict.UNKNOWN, story(evaluation)
        assert words in result.reason, story(evaluation)


def test_a_sound_sample_passes_and_says_what_it_rests_on(tmp_path: Path) -> None:
    evaluation = sampled(tmp_path, COPY)
    assert evaluation.exit_code == 0, story(evaluation)
    coverage = row(evaluation, "memory_access").coverage
    assert coverage and (coverage.done, coverage.total, coverage.unit) == (MOST, BLOCKS, "blocks")
    elements = row(evaluation, "numerics").coverage
    # The last block holds the ragged rest; the small shape of 777 elements is whole.
    assert elements and (elements.done, elements.total) == (15 * 256 + N % 256 + 777, N + 777)
    rows = {r["name"]: r["coverage"] for r in check_json([evaluation])["candidates"][0]["contracts"]}
    assert rows["bank_conflicts"] == {"done": MOST, "total": BLOCKS, "unit": "blocks"}
    assert rows["safety"] == {"done": MOST + 4, "total": BLOCKS + 4, "unit": "blocks"}


def test_a_grid_that_fits_the_sample_is_executed_in_full(tmp_path: Path) -> None:
    evaluation = sampled(tmp_path, COPY, n=3000, small=())
    coverage = row(evaluation, "memory_access").coverage
    assert coverage and coverage.complete and coverage.total == 12 and evaluation.exit_code == 0, story(evaluation)


def test_without_a_small_shape_nothing_is_decided(tmp_path: Path) -> None:
    evaluation = sampled(tmp_path, COPY, small=())
    undecided(evaluation, "no small shape in full")
    assert evaluation.exit_code == 3


def test_a_small_shape_of_one_block_shows_no_dependence_between_blocks(tmp_path: Path) -> None:
    undecided(sampled(tmp_path, COPY, small=(77,)), "no small shape runs several blocks of kernel")


def test_inefficient_access_fails_on_the_sample(tmp_path: Path) -> None:
    source = COPY.replace("out[i] = x[i]", "out[i] = x[(i * 32) % n]")
    evaluation = sampled(
        tmp_path, source, reference="def expected(x, n):\n    return x[[i * 32 % n for i in range(n)]]\n"
    )
    result = row(evaluation, "memory_access")
    assert result.verdict is Verdict.FAIL and result.coverage and result.coverage.done == MOST
    assert row(evaluation, "numerics").verdict is Verdict.PASS, story(evaluation)


def test_a_missing_guard_shows_in_the_last_block_which_every_sample_has(tmp_path: Path) -> None:
    evaluation = sampled(tmp_path, COPY.replace("if (i < n) ", ""), small=(768,))
    (fault,) = (f for f in found(evaluation, "SAF603") if "out" in f.message)
    assert fault.evidence["block"] == [BLOCKS - 1, 0, 0] and evaluation.exit_code == 1


def test_a_fault_in_a_block_outside_the_sample_is_found_by_a_small_shape_that_has_the_block(tmp_path: Path) -> None:
    source = COPY.replace("x[i]", f"x[i] + (blockIdx.x == {OUTSIDE})")
    assert sampled(tmp_path, source, small=(777, 256 * (OUTSIDE + 1))).exit_code == 1


def test_a_fault_that_no_executed_block_has_passes_on_a_share_that_is_named(tmp_path: Path) -> None:
    """That is the price of a sample: the row does not say that all blocks were executed."""
    source = COPY.replace("x[i]", f"x[i] + (n > 1000 && blockIdx.x == {OUTSIDE})")
    evaluation = sampled(tmp_path, source)
    coverage = row(evaluation, "numerics").coverage
    assert evaluation.exit_code == 0 and coverage and not coverage.complete, story(evaluation)
    assert sampled(tmp_path, source, more="").exit_code == 1


def test_atomics_on_global_memory_cannot_be_sampled(tmp_path: Path) -> None:
    source = HEAD + "  if (i < n) atomicAdd(out, x[i]);\n}\n"
    evaluation = sampled(
        tmp_path, source, tensors=TOTAL, reference="def expected(x):\n    return x.sum(keepdims=True)\n"
    )
    undecided(evaluation, "atomics on global memory")


def test_a_cooperative_launch_cannot_be_sampled(tmp_path: Path) -> None:
    evaluation = sampled(tmp_path, COPY, launches=launch() + "cooperative = true\n")
    undecided(evaluation, "cooperative")


TWO = HEAD.replace("kernel", "first") + "  if (i < n) out[i] = x[i];\n}\n"
TWO += HEAD.replace("kernel", "second") + "  if (i < n) out[i] = x[i] + 1;\n}\n"


def test_a_launch_that_reads_what_a_sampled_one_wrote_cannot_be_sampled(tmp_path: Path) -> None:
    between = '[workspace.mid]\ndtype = "f32"\nshape = ["n"]\n'
    launches = between + launch("first", args="x mid n") + launch("second", args="mid out n")
    evaluation = sampled(tmp_path, TWO, launches=launches, reference="def expected(x):\n    return x + 1\n")
    undecided(evaluation, "second touches mid, which first wrote before it")
    full = sampled(tmp_path, TWO, launches=launches, reference="def expected(x):\n    return x + 1\n", more="")
    assert full.exit_code == 0, story(full)


def test_launches_that_have_nothing_to_do_with_each_other_can(tmp_path: Path) -> None:
    tensors = ARRAY + '\nmore = { shape = ["n"], dtype = "f32", role = "output" }'
    reference = "def expected(x):\n    return {'out': x, 'more': x + 1}\n"
    launches = launch("first") + launch("second", args="x more n")
    evaluation = sampled(tmp_path, TWO, tensors=tensors, reference=reference, launches=launches)
    coverage = row(evaluation, "memory_access").coverage
    assert evaluation.exit_code == 0 and coverage and coverage.done == 2 * MOST, story(evaluation)


# `first` stores only where block OUTSIDE is, and only beyond the small shape; `second` reads it everywhere.
ONE_BLOCK = HEAD.replace("kernel", "first") + f"  if (n > 1000 && i == 256 * {OUTSIDE}) *out = 7;\n}}\n"
READS_IT = """
extern "C" __global__ void second(const float* x, const float* mid, float* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = x[i] + *mid;
}
"""
MID = '[workspace.mid]\ndtype = "f32"\nshape = [1]\n'
AFTER = launch("second", args="x mid out n")


@pytest.mark.parametrize(
    "reference", [SAME, "def expected(x, n):\n    return x + 7 * (n > 1000)\n"], ids=["bad", "good"]
)
def test_a_store_of_a_block_outside_the_sample_may_reach_a_later_launch(tmp_path: Path, reference: str) -> None:
    """Whether the kernel is wrong or right: the sample without that block shows the opposite."""
    options = {"launches": MID + launch("first", args="x mid n") + AFTER, "reference": reference}
    undecided(sampled(tmp_path, ONE_BLOCK + READS_IT, **options), "blocks of first that did not run may have written")
    full = sampled(tmp_path, ONE_BLOCK + READS_IT, more="", **options)
    assert full.exit_code == (reference == SAME), story(full)


def test_so_may_one_into_a_variable_of_the_module(tmp_path: Path) -> None:
    source = "__device__ float mid;\n" + (ONE_BLOCK + READS_IT).replace("*out = 7", "mid = 7")
    source = source.replace("const float* mid, ", "").replace("*mid;", "mid;")
    launches = launch("first") + launch("second")
    undecided(sampled(tmp_path, source, launches=launches), "blocks of first that did not run may have written")


def test_a_buffer_that_a_sampled_launch_only_reads_ties_nothing_to_it(tmp_path: Path) -> None:
    """`third` comes after `second`, both read what the one block of `first` wrote."""
    source = ONE_BLOCK.replace("n > 1000 && i == ", "i == 0 * ") + READS_IT + READS_IT.replace("second", "third")
    launches = MID + launch("first", 1, args="x mid n") + AFTER + launch("third", args="x mid more n")
    tensors = ARRAY + '\nmore = { shape = ["n"], dtype = "f32", role = "output" }'
    reference = "def expected(x):\n    return {'out': x + 7, 'more': x + 7}\n"
    evaluation = sampled(tmp_path, source, tensors=tensors, reference=reference, launches=launches)
    assert evaluation.exit_code == 0, story(evaluation)


def test_two_blocks_that_write_the_same_bytes_cannot_be_sampled(tmp_path: Path) -> None:
    """They write the same value, which is no race."""
    source = HEAD + "  if (i < n) out[threadIdx.x] = x[0];\n}\n"
    tensors = FLOATS + 'out = { shape = [256], dtype = "f32", role = "output" }'
    evaluation = sampled(tmp_path, source, tensors=tensors, reference="def expected(x):\n    return x[[0] * 256]\n")
    undecided(evaluation, "two blocks write the same bytes")


# Each block adds what its neighbour on the left passed on; no atomics, so that only the shadow state shows it.
PASS_ON = """
extern "C" __global__ void kernel(const float* x, float* out, volatile int* flags, volatile float* sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = x[i];
  if (threadIdx.x == 0) {
    float sum = 0;
    if (blockIdx.x != 0) {
      while (flags[blockIdx.x - 1] == 0) {}
      __threadfence();
      sum = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = sum + 1;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}
"""


@pytest.mark.parametrize("slow", [False, True])
def test_blocks_that_wait_for_blocks_outside_the_sample_are_no_fault_of_the_kernel(
    tmp_path: Path, slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if slow:
        # As on a machine on which every slice takes long: states that come back are looked for between all slices.
        monkeypatch.setattr(cycle, "_FIRST", 0.0)
        monkeypatch.setattr(cycle, "_PATIENCE", 0.0)
    table = '[workspace.{}]\ndtype = "{}"\nshape = ["ceildiv(n, 256)"]\n'
    scratch = table.format("flags", "i32") + table.format("sums", "f32")
    evaluation = sampled(tmp_path, PASS_ON, launches=scratch + launch(args="x out flags sums n"))
    assert not found(evaluation, "SAF612"), story(evaluation)
    for name in ("memory_access", "numerics", "safety"):
        assert row(evaluation, name).verdict is Verdict.UNKNOWN, story(evaluation)
    full = sampled(tmp_path, PASS_ON, launches=scratch + launch(args="x out flags sums n"), more="")
    assert full.exit_code == 0, story(full)


def test_neighbours_that_a_sample_keeps_apart_are_seen_on_the_small_shape(tmp_path: Path) -> None:
    """Block 2k writes for block 2k + 1 as well, but only where the sample has neither: the small shape has both."""
    source = HEAD + "  if (i < n) out[i] = x[i];\n  int next = i + 256;\n"
    source += "  if (blockIdx.x == 1 && next < n) out[next] = x[next];\n}\n"
    assert 2 not in sampled_blocks((BLOCKS, 1, 1), MOST)
    evaluation = sampled(tmp_path, source)
    undecided(evaluation, "n=777 (small")


def test_the_sample_has_corners_edges_and_an_even_spread() -> None:
    for grid, most in (((128, 128, 1), 64), ((1, 4096, 1), 20), ((7, 5, 3), 40), ((1000, 1, 1), 7)):
        blocks = sampled_blocks(grid, most)
        assert blocks is not None
        total = grid[0] * grid[1] * grid[2]
        assert blocks.size == most and len(set(blocks.tolist())) == most
        assert blocks[0] == 0 and blocks[-1] == total - 1 and blocks.tolist() == sorted(blocks.tolist())
        assert blocks.tolist() == sampled_blocks(grid, most).tolist()  # type: ignore[union-attr]
    flat = sampled_blocks((128, 128, 1), 64)
    assert flat is not None
    columns, lines = flat % 128, flat // 128
    assert {(0, 0), (127, 0), (0, 127), (127, 127)} <= {*zip(columns.tolist(), lines.tolist(), strict=True)}
    assert ((columns == 127) | (lines == 127)).sum() >= 15
    for place in (columns, lines):
        assert {*range(8)} == {*(place // 16).tolist()}, "no eighth of the grid is left out"


@pytest.mark.parametrize("grid", [(1, 1, 1), (2, 2, 2), (16, 1, 1)])
def test_a_small_grid_is_not_sampled(grid: tuple[int, int, int]) -> None:
    assert sampled_blocks(grid, 16) is None


@pytest.mark.parametrize("value", ["0", "-3", "1.5", "true"])
def test_a_sample_has_a_whole_number_of_blocks(tmp_path: Path, value: str) -> None:
    with pytest.raises(WarpgaugeError, match="sample_blocks"):
        sampled(tmp_path, COPY, more=f"[execution]\nsample_blocks = {value}")
