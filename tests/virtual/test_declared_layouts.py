"""Declared layouts end to end: whether an index fits one is a verdict of its own, beside how well it coalesces."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from warpgauge.contracts import Verdict
from warpgauge.evaluate import Evaluation, check_files

FOLDER = Path(__file__).parent / "layouts"
LAYOUTS = {"row-major": '["N", 1]', "column-major": '[1, "K"]'}
GRIDS = {"lanes_over_n": '["ceildiv(N, 32)", "ceildiv(M, 4)", 1]', "lanes_over_k": '["N", "ceildiv(M, 4)", 1]'}


def check(folder: Path, problem: str, candidate: str, kernel: str) -> Evaluation:
    (folder / "problem.toml").write_text(problem)
    (folder / "candidate.toml").write_text(candidate)
    (folder / "kernel.cu").write_text(kernel)
    (evaluation,) = check_files(folder / "problem.toml", [folder / "candidate.toml"])
    return evaluation


def problem(tensors: str, dims: tuple[int, int, int], small: tuple[int, int, int], reference: str = "matmul") -> str:
    lines = [f"{name} = {value}" for name, value in zip("MNK", dims, strict=True)]
    ragged = [f"{name} = {value}" for name, value in zip("MNK", small, strict=True)]
    return "\n".join(
        [
            '[problem]\nname = "layouts"\narch = "sm_90"\n[dims]', *lines,
            '[[shapes]]\nrole = "small"', *ragged,
            "[tensors]", tensors, f'[reference]\nbuiltin = "{reference}"',
        ]
    )  # fmt: skip


def line_of(text: str, mark: str, after: str = "") -> int:
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if after in line), 0)
    return next(n for n, line in enumerate(lines[start:], start + 1) if line.endswith(f"// {mark}"))


@pytest.mark.parametrize("square", [False, True], ids=["oblong", "square"])
@pytest.mark.parametrize(("layout", "form", "entry"), [*product(LAYOUTS, (0, 1), GRIDS)])
def test_index_and_coalescing_of_b_are_two_verdicts(
    tmp_path: Path, layout: str, form: int, entry: str, square: bool
) -> None:
    """Two layouts of B, two forms of its index, two ways to lay lanes: the index is right where it fits the layout, the
    access coalesces where lanes run over what the index runs fastest over, whatever is declared."""
    kernel = (FOLDER / "gemm.cu").read_text()
    tensors = f"""
A = {{ shape = ["M", "K"], dtype = "f32", role = "input" }}
B = {{ shape = ["K", "N"], dtype = "f32", role = "input", strides = {LAYOUTS[layout]} }}
C = {{ shape = ["M", "N"], dtype = "f32", role = "output" }}
"""
    dims, small = ((32, 32, 32), (16, 16, 16)) if square else ((32, 64, 96), (16, 32, 64))
    candidate = f"""
[candidate]
source = "kernel.cu"
[candidate.defines]
INDEX = {form}
[[launch]]
entry = "{entry}"
grid = {GRIDS[entry]}
block = [32, 4, 1]
args = ["A", "B", "C", "M", "N", "K", "{"N" if form == 0 else "K"}"]
"""
    found = check(tmp_path, problem(tensors, dims, small), candidate, kernel)
    rows = {row.name: row for row in found.contracts}
    right = (layout == "row-major") == (form == 0)
    coalesced = (entry == "lanes_over_n") == (form == 0)
    line = line_of(kernel, "B", f"void {entry}")
    clues = [d for d in rows["numerics"].diagnostics if d.code == "NUM507"]
    uncoalesced = {d.primary.location.line for d in rows["memory_access"].diagnostics if d.code == "MEM101"}
    assert (rows["numerics"].verdict is Verdict.PASS, line not in uncoalesced) == (right, coalesced)
    assert uncoalesced <= {line}
    assert rows["safety"].verdict is Verdict.PASS
    assert bool(clues) is not right
    for clue in clues:
        other = next(name for name in LAYOUTS if name != layout)
        assert (clue.evidence["tensor"], clue.evidence["access"]) == ("B", "read")
        n, k = (clue.evidence["shape"][name] for name in "NK")
        assert clue.evidence["declared"]["strides"] == ([n, 1] if layout == "row-major" else [1, k])
        assert clue.evidence["taken"]["strides"] == ([n, 1] if layout == "column-major" else [1, k])
        assert other in clue.message or "without gaps" in clue.message
        assert clue.primary is not None and clue.primary.location.line == line


PITCHED = """
A = { shape = ["M", "K"], dtype = "f32", role = "input", strides = ["K + 3", 1], offset = 5 }
B = { shape = ["K", "N"], dtype = "f32", role = "input", strides = ["N + 4", 1] }
C = { shape = ["M", "N"], dtype = "f32", role = "output", strides = ["N + 2", 1], size = "M*(N + 2)" }
"""
RIGHT = {"A": "5 + (m) * (K + 3) + (k)", "B": "(k) * (N + 4) + (n)", "C": "(m) * (N + 2) + (n)"}


def pitched(folder: Path, **changed: str) -> Evaluation:
    arguments = {"A": "m, k", "B": "k, n", "C": "m, n"}
    macros = [f"#define {name}_AT({arguments[name]}) ({index})\n" for name, index in {**RIGHT, **changed}.items()]
    candidate = """
[candidate]
source = "kernel.cu"
[[launch]]
entry = "gemm"
grid = ["ceildiv(N, 32)", "ceildiv(M, 4)", 1]
block = [32, 4, 1]
args = ["A", "B", "C", "M", "N", "K"]
"""
    kernel = "".join(macros) + (FOLDER / "pitched.cu").read_text()
    return check(folder, problem(PITCHED, (32, 48, 40), (5, 19, 13)), candidate, kernel)


def test_strides_offset_and_pitch_are_what_the_kernel_sees(tmp_path: Path) -> None:
    found = pitched(tmp_path)
    verdicts = {row.name: row.verdict for row in found.contracts}
    assert (verdicts["numerics"], verdicts["safety"]) == (Verdict.PASS, Verdict.PASS)


@pytest.mark.parametrize(
    ("tensor", "index", "words", "safety"),
    [
        ("A", "5 + (m) * K + (k)", "row-major without gaps", "SAF606"),
        ("A", "(m) * (K + 3) + (k)", "stored as declared, from the first element of the buffer", "SAF606"),
        ("A", "5 + (k) * M + (m)", "column-major", "SAF606"),
        ("B", "(k) * N + (n)", "row-major without gaps", "SAF606"),
        ("B", "(n) * K + (k)", "column-major", "SAF606"),
        ("C", "(m) * N + (n)", "row-major without gaps", "SAF603"),
        ("C", "(n) * M + (m)", "column-major", "SAF603"),
    ],
)
def test_an_index_that_contradicts_the_layout_is_named(
    tmp_path: Path, tensor: str, index: str, words: str, safety: str
) -> None:
    """Places between elements are nobody's: reading one and writing one are findings of the safety contract, too."""
    found = pitched(tmp_path, **{tensor: index})
    line = line_of((tmp_path / "kernel.cu").read_text(), tensor)
    rows = {row.name: row for row in found.contracts}
    (clue,) = [d for d in found.diagnostics if d.code == "NUM507"]
    assert clue in rows["numerics"].diagnostics and rows["numerics"].verdict is Verdict.FAIL
    assert clue.evidence["tensor"] == tensor and clue.evidence["taken"]["words"] == words
    assert clue.primary is not None and clue.primary.location.line == line
    strays = [d for d in rows["safety"].diagnostics if d.severity == "error"]
    assert {(d.code, d.primary and d.primary.location.line) for d in strays} == {(safety, line)}
    assert all("no element of the tensor lies there" in d.message for d in strays)


@pytest.mark.parametrize(
    "changed",
    [
        {"B": "(k) * (N + 4) + (n + 1) % N"},  # no layout does that
        {"A": "5 + (m) * K + (k)", "B": "(k) * N + (n)"},  # two at once
    ],
)
def test_what_no_single_layout_explains_gets_no_clue(tmp_path: Path, changed: dict[str, str]) -> None:
    found = pitched(tmp_path, **changed)
    assert found.exit_code == 1 and "NUM507" not in {d.code for d in found.diagnostics}


COPY = """
extern "C" __global__ void copy(const float* x, float* y, int M, int N) {
  int i = blockIdx.y, j = threadIdx.x;
  y[i * N + j] = x[j * M + i];  // x
}
"""


@pytest.mark.parametrize(
    ("small", "clue"), [((16, 16, 1), True), (None, False)], ids=["oblong shape too", "square only"]
)
def test_a_square_shape_alone_leaves_two_explanations(
    tmp_path: Path, small: tuple[int, int, int] | None, clue: bool
) -> None:
    """x read by columns or y written by columns: on a square the outputs are the same, on other shapes they are not."""
    tensors = """
x = { shape = ["M", "N"], dtype = "f32", role = "input" }
y = { shape = ["M", "N"], dtype = "f32", role = "output" }
"""
    text = problem(tensors, (24, 32, 1) if clue else (32, 32, 1), small or (16, 16, 1), "copy")
    candidate = (
        '[candidate]\nsource = "kernel.cu"\n[[launch]]\nentry = "copy"\ngrid = [1, "M", 1]\nblock = ["N", 1, 1]\n'
    )
    found = check(tmp_path, text, candidate + 'args = ["x", "y", "M", "N"]\n', COPY)
    named = [d.evidence["tensor"] for d in found.diagnostics if d.code == "NUM507"]
    assert named == (["x"] if clue else [])


@pytest.mark.parametrize(("pitch", "efficiency"), [(4096, 1.0), (4100, 8 / 9)])
def test_a_pitch_shifts_rows_against_the_sectors(tmp_path: Path, pitch: int, efficiency: float) -> None:
    """4100 elements of 4 bytes are 512.5 sectors: every second row starts in the middle of one."""
    tensors = f"""
x = {{ shape = ["M", "N"], dtype = "f32", role = "input", strides = [{pitch}, 1] }}
y = {{ shape = ["M", "N"], dtype = "f32", role = "output" }}
"""
    kernel = COPY.replace("x[j * M + i]", f"x[i * {pitch} + j]")
    candidate = (
        '[candidate]\nsource = "kernel.cu"\n[[launch]]\nentry = "copy"\ngrid = [1, "M", 1]\nblock = ["N", 1, 1]\n'
    )
    text = problem(tensors, (8, 32, 1), (2, 32, 1), "copy")
    found = check(tmp_path, text, candidate + 'args = ["x", "y", "M", "N"]\n', kernel)
    (row,) = [row for row in found.contracts if row.name == "memory_access"]
    assert row.measured == pytest.approx(efficiency)
    assert {row.verdict for row in found.contracts if row.binds} == {Verdict.PASS}
