"""`warpgauge tiles`: block tiles of a matrix product that fit a chip, ranked with reasons; a proposal is scored."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .sizes import sizes

if TYPE_CHECKING:
    from warpgauge.tiling import Gemm


def _mnk(text: str) -> tuple[int, ...]:
    return sizes(text, 3, 3, "4096x4096x4096 (MxNxK)")


def _tile(text: str) -> tuple[int, ...]:
    """bm, bn, bk, stages and perhaps warps; none of them 0."""
    numbers = sizes(text, 4, 5, "128x128x32x3 (BMxBNxBKxSTAGES), or with x4 warps")
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: every number is at least 1")
    return numbers


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "tiles",
        help="block tiles of a matrix product that fit a chip, ranked by prediction, with reasons",
        description="Searches block tiles, stages and warps for a matrix product. Figures are predicted from quoted "
        "rates: they compare tiles, they do not tell time.",
    )
    parser.add_argument("problem", metavar="PROBLEM", type=Path, nargs="?", help="a problem.toml of a matmul or gemm")
    parser.add_argument("--gemm", metavar="MxNxK", type=_mnk, help="instead of PROBLEM: the extents")
    parser.add_argument("--dtype", metavar="NAME", help="inputs: f16, bf16, tf32, e4m3, e5m2 or f32 (default: f16)")
    parser.add_argument(
        "--accumulate", metavar="NAME", default="f32", help="type of the sums: f32 or f16 (default: f32)"
    )
    parser.add_argument("--chip", metavar="NAME", help="for example H200 (default: that of the problem)")
    parser.add_argument("--score", metavar="TILE", type=_tile, help="a tile to score: BMxBNxBKxSTAGES[xWARPS]")
    parser.add_argument(
        "--also", metavar="CHIP", action="append", default=[], help="how the answer moves on another chip"
    )
    parser.add_argument("--top", metavar="N", type=int, default=8, help="how many of the best to list (default: 8)")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.problem.place import fail
    from warpgauge.report.tiles import render_tiles, tiles_json
    from warpgauge.tiling import shift, solve

    from .screen import console, print_json

    proposed = arguments.score or ()
    try:
        solution = solve(_gemm(arguments, arguments.chip), proposed)
        shifts = [shift(solution, _gemm(arguments, chip), proposed) for chip in arguments.also]
    except (KeyError, ValueError) as error:
        raise fail("PRB904", str(error.args[0]), "") from None
    if arguments.json:
        print_json(tiles_json(solution, shifts, arguments.top))
    else:
        render_tiles(console(), solution, shifts, arguments.top)
    return 0


def _gemm(arguments: argparse.Namespace, chip_name: str | None) -> Gemm:
    """The product on a chip. WarpgaugeError for what is missing; KeyError or ValueError for what cannot be."""
    from warpgauge.arch import chip
    from warpgauge.problem import load_problem
    from warpgauge.problem.model import operands
    from warpgauge.problem.place import fail
    from warpgauge.tiling import Gemm

    if (arguments.problem is None) == (arguments.gemm is None):
        raise fail("PRB901", "give PROBLEM, or --gemm MxNxK", "")
    dtype, name = arguments.dtype or "f16", chip_name
    if arguments.problem is None:
        m, n, k = arguments.gemm
    else:
        problem = load_problem(arguments.problem)
        builtin = problem.reference.builtin if problem.reference else None
        if builtin not in ("matmul", "gemm"):
            where = problem.place("reference")
            raise fail("PRB901", "tiles are known for the builtin references matmul and gemm", where)
        left, right = (problem.layout(name, problem.dims) for name in operands(problem)[:2])
        if len(left.shape) != 2:
            raise fail("PRB901", "a batch of products has no one grid of tiles", problem.place("tensors"))
        (m, k), n = left.shape, right.shape[1]
        dtype, name = arguments.dtype or left.dtype, name or problem.problem.chip
    if name is None:
        raise fail("PRB901", "no chip: give --chip NAME", "")
    return Gemm(m, n, k, dtype, arguments.accumulate, chip(name))
