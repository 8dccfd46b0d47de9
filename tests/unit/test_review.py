"""The rules of the review on small kernels: what each finds, and good code that it must leave alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from warpgauge.build import compile_source
from warpgauge.candidate import PlannedLaunch
from warpgauge.candidate.arguments import Arg, BufferArg, ScalarArg
from warpgauge.contracts import Verdict
from warpgauge.diagnostics import Diagnostic
from warpgauge.evaluate import check_files
from warpgauge.evaluate.record import Evaluation
from warpgauge.evaluate.silencing import Silencing
from warpgauge.evidence import BuildArtifact
from warpgauge.review import Subject, review
from warpgauge.review.pragmas import unroll_pragmas
from warpgauge.review.signatures import restricted, without_bounds

SOURCE = Path(__file__).parent / "review_kernels.cu"
TWICE = Path(__file__).parent / "review_kernels_twice.cu"


@cache
def build(source: Path) -> BuildArtifact:
    return compile_source(source)


def argument(size: int, index: int, one_buffer: bool) -> Arg:
    return BufferArg("x" if one_buffer else f"buffer{index}") if size == 8 else ScalarArg(index)


@cache
def findings(entry: str, *, one_buffer: bool = False, blocks: int = 10_000) -> tuple[Diagnostic, ...]:
    """What the review says of one kernel of the file, launched with a buffer of its own for every pointer."""
    source = TWICE if f" {entry}(" in TWICE.read_text() else SOURCE
    kernel = Subject(build(source), (), "", lambda text: None).kernel(entry)
    assert kernel is not None
    args = tuple(argument(p.size, n, one_buffer) for n, p in enumerate(kernel.params))
    launch = PlannedLaunch(0, entry, (blocks, 1, 1), (256, 1, 1), args)

    def rebuild(text: str) -> BuildArtifact:
        return compile_source(source, entries=[entry], text=text)

    return review(Subject(build(source), (launch,), str(source), rebuild))


def line_with(mark: str) -> int:
    (line,) = [n for n, text in enumerate(SOURCE.read_text().split("\n"), 1) if text.endswith(f"// {mark}")]
    return line


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("run_time_bound", [("UTL403", "warning")]),
        ("factor", [("UTL403", "note")]),
        ("from_the_thread", [("UTL403", "warning")]),
        ("while_loop", [("UTL403", "warning")]),
        ("outer_of_two", [("UTL403", "warning")]),
        ("unrolled", []),
        ("by_template", []),
        ("constant_factor", []),
        ("own_remainder", []),
        ("four_floats", [("MEM103", "warning")]),
        ("four_floats_in_place", [("MEM103", "warning"), ("MEM103", "warning")]),
        ("neighbours", []),
        ("three_floats", []),
        ("run_time_pitch", []),
        ("same_for_all_lanes", []),
        ("already_wide", []),
        ("store_between", [("MEM104", "note")]),
        ("store_between_restricted", []),
        ("talks", []),
        ("no_load_behind_a_store", []),
        ("bounded", [("OCC305", "warning")]),
        ("bounded_and_fits", []),
        ("big_tile", [("OCC304", "note")]),
    ],
)
def test_what_is_found(entry: str, expected: list[tuple[str, str]]) -> None:
    found = findings(entry)
    assert [(d.code, d.severity) for d in found] == expected, [d.message for d in found]
    assert all(d.primary and d.help for d in found)


def test_findings_carry_numbers() -> None:
    (unroll,) = findings("run_time_bound")
    assert unroll.primary and unroll.primary.location.line == line_with("here")
    assert {loop["copies"] for loop in unroll.evidence["loops"]} == {1, 4}
    (wide,) = findings("four_floats")
    assert (wide.evidence["accesses"], wide.evidence["bytes"], wide.evidence["possible_bytes"]) == (4, 4, 16)
    (promise,) = findings("store_between")
    before, after = promise.evidence["loads"]
    assert before > after >= 1
    (bounds,) = findings("bounded")
    assert bounds.evidence["spilled"][0] > bounds.evidence["spilled"][1] == 0
    (step,) = findings("big_tile")
    assert (step.evidence["warps_per_sm"], step.evidence["warps_at_step"]) == (32, 40)


def test_a_buffer_that_two_parameters_share_gets_no_promise() -> None:
    assert findings("store_between", one_buffer=True) == ()


def test_a_step_of_occupancy_needs_blocks_that_fill_it() -> None:
    assert findings("big_tile", blocks=4) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#pragma unroll\nfor (;;) { f(); }", [("for", 2, 2, None)]),
        (
            "#pragma unroll 4\n#pragma nv_diag_suppress 1\nwhile (a)\n  if (b)\n    c();\n  else\n    d();",
            [("while", 3, 7, 4)],
        ),
        ("#pragma unroll(N)\ndo {\n} while (x);", [("do", 2, 3, 8)]),
        ('constexpr int M = 16;\n#pragma unroll M\nfor (;;)\n  for (;;)\n    f(";");', [("for", 3, 5, 16)]),
        ("#pragma unroll UNKNOWN\nfor (;;) ;", [("for", 2, 2, 0)]),
        ('_Pragma("unroll 2") for (;;) ;', [("for", 1, 1, 2)]),
        ("// #pragma unroll\nfor (;;) ;", []),
        ('#define F _Pragma("unroll") for (;;) ;', []),
        ("#pragma unroll\nint x;", []),
    ],
)
def test_pragmas_and_their_loops(text: str, expected: list[object]) -> None:
    assert [(p.keyword, p.first, p.last, p.factor) for p in unroll_pragmas("k.cu", text, {"N": 8})] == expected


def test_signatures_are_changed_in_place() -> None:
    text = (
        "template <int N>\n__global__ void __launch_bounds__(256,\n 2) k(const float *a, float *const b, "
        "float* __restrict__ c, volatile int* d, float (&e)[N], int n);\n__global__ void other(float* a);"
    )
    assert restricted(text, "k", frozenset({0, 1, 3, 4})).count("__restrict__") == 3
    assert "const float * __restrict__ a, float * __restrict__ const b" in restricted(text, "k", frozenset({0, 1}))
    bare = without_bounds(text, frozenset({"k"}))
    assert "__launch_bounds__" not in bare and bare.count("\n") == text.count("\n") and len(bare) == len(text)


def test_a_comment_silences_a_finding_about_speed() -> None:
    (finding,) = findings("run_time_bound")
    assert finding.primary
    line = finding.primary.location.line
    silenced = {str(SOURCE): "\n" * (line - 1) + "#pragma unroll  // warpgauge: ignore UTL403 a hint, no more\n"}
    left, quiet = Silencing().findings([finding], silenced, "p", "c")
    assert left == () and [s.reason for s in quiet] == ["a hint, no more"]
    assert Silencing().findings([finding], build(SOURCE).sources, "p", "c") == ((finding,), ())


PROBLEM = """[problem]
name = "twice"
arch = "sm_90"
[dims]
n = 77
[[shapes]]
role = "small"
n = 5
[tensors]
x = { shape = ["n"], dtype = "f32", role = "input", init = "normal" }
y = { shape = ["n"], dtype = "f32", role = "output" }
[reference]
python = "reference.py:twice"
[tolerance]
rel_l2 = 1e-6
"""
CANDIDATE = """[candidate]
source = "kernel.cu"
[[launch]]
entry = "twice"
grid = [1, 1, 1]
block = [128, 1, 1]
args = ["x", "y", "n"]
"""


def checked(folder: Path, statement: str, **options: Any) -> Evaluation:
    (folder / "problem.toml").write_text(PROBLEM)
    (folder / "candidate.toml").write_text(CANDIDATE)
    (folder / "reference.py").write_text("def twice(x):\n    return 2 * x\n")
    (folder / "kernel.cu").write_text(
        'extern "C" __global__ void twice(const float* x, float* y, int n) {\n'
        f"  int i = threadIdx.x;\n  {statement}\n  if (i < n) y[i] = 2 * x[i];\n}}\n"
    )
    (evaluation,) = check_files(folder / "problem.toml", [folder / "candidate.toml"], **options)
    return evaluation


def test_a_corrupted_register_fails_the_build_though_the_result_may_be_right(tmp_path: Path) -> None:
    # What the compiler keeps in %r1 is written after this statement: the numbers would come out right.
    evaluation = checked(tmp_path, 'asm volatile("mov.b32 %r1, 0;");')
    assert [(row.name, row.verdict, row.binds) for row in evaluation.contracts if row.verdict is Verdict.FAIL] == [
        ("build", Verdict.FAIL, True)
    ]
    assert evaluation.exit_code == 1 and evaluation.runs == ()
    assert [d.code for d in evaluation.diagnostics if d.severity == "error"] == ["SRC804"]


def test_the_review_changes_no_verdict_and_keeps_quiet_where_contracts_are_named(tmp_path: Path) -> None:
    loop = "#pragma unroll\n  for (int k = 0; k < n; ++k) if (x[k] == 123.0f) y[k] = 1.0f;"
    evaluation = checked(tmp_path, loop)
    assert evaluation.exit_code == 0
    assert "UTL403" in [d.code for d in evaluation.review]
    assert all(d in evaluation.diagnostics for d in evaluation.review)
    assert checked(tmp_path, loop, only=["numerics"]).review == ()
