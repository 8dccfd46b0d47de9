"""Small problems, written out as files, for tests of what an evaluation does besides running a plan once."""

from __future__ import annotations

from pathlib import Path

from warpgauge.candidate import load_candidate
from warpgauge.diagnostics import Diagnostic
from warpgauge.evaluate import Evaluation, evaluate
from warpgauge.problem import load_problem

PROBLEM = """
[problem]
name = "case"
arch = "sm_90"

[dims]
n = {n}

{shapes}
[tensors]
{tensors}

[reference]
python = "reference.py:expected"

[tolerance]
{tolerance}

{more}
"""
LAUNCH = """
[[launch]]
entry = "{entry}"
grid = [{grid}, 1, 1]
block = [{block}, 1, 1]
args = [{args}]
"""
FLOATS = 'x = { shape = ["n"], dtype = "f32", role = "input", init = "normal" }\n'
TOTAL = FLOATS + 'out = { shape = [1], dtype = "f32", role = "inout", init = "zeros" }'
ARRAY = FLOATS + 'out = { shape = ["n"], dtype = "f32", role = "output" }'
SUM = "def expected(x):\n    return x.sum(keepdims=True)\n"
SAME = "def expected(x):\n    return x\n"


def launch(entry: str = "kernel", grid: object = '"ceildiv(n, 256)"', block: int = 256, args: str = "x out n") -> str:
    quoted = ", ".join(f'"{name}"' for name in args.split())
    return LAUNCH.format(entry=entry, grid=grid, block=block, args=quoted)


def judge(
    folder: Path,
    source: str,
    *,
    tensors: str = TOTAL,
    reference: str = SUM,
    launches: str = "",
    n: int = 3000,
    small: tuple[int, ...] = (777,),
    tolerance: str = "abs = 1e-3",
    more: str = "",
    **options: object,
) -> Evaluation:
    """Writes the files of a problem and its candidate, and evaluates it."""
    shapes = "".join(f'[[shapes]]\nrole = "small"\nn = {size}\n\n' for size in small)
    text = PROBLEM.format(n=n, shapes=shapes, tensors=tensors, tolerance=tolerance, more=more)
    (folder / "problem.toml").write_text(text)
    (folder / "reference.py").write_text(reference)
    (folder / "candidate.toml").write_text('[candidate]\nsource = "kernel.cu"\n' + (launches or launch()))
    (folder / "kernel.cu").write_text(source)
    return evaluate(load_problem(folder), load_candidate(folder), **options)  # type: ignore[arg-type]


def found(evaluation: Evaluation, code: str) -> list[Diagnostic]:
    return [d for d in evaluation.diagnostics if d.code == code]


def line_of(source: str, mark: str) -> int:
    """The number of the line that holds `mark`."""
    (number,) = (n for n, text in enumerate(source.splitlines(), 1) if mark in text)
    return number


def story(evaluation: Evaluation) -> str:
    rows = "\n".join(f"{r.name} {r.verdict} {r.reason}" for r in evaluation.contracts)
    return rows + "\n" + "\n".join(f"{d.code} {d.primary} {d.message}" for d in evaluation.diagnostics)
