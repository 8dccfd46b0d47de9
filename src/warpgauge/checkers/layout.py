"""`check_tensor_layout`: how arrays lie in memory, and whether a kernel that expects one layout may be given them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .table import Checker

if TYPE_CHECKING:
    from warpgauge.problem.describe import Described
    from warpgauge.problem.layout import Layout


def _numbers(text: str) -> tuple[int, ...]:
    """`4096x4096` or `4096,1` as numbers; empty text is a scalar."""
    try:
        return tuple(int(part) for part in text.replace("x", ",").split(",") if part)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 4096,1") from None


def prepare(row: Checker, parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    """Adds the options, and returns what runs with them."""
    parser.add_argument("files", metavar="FILE.npy", type=Path, nargs="*", help="arrays; or give --shape and --strides")
    numbers = parser.add_argument_group("a tensor in numbers, as a framework prints them")
    numbers.add_argument("--shape", metavar="N,...", type=_numbers)
    numbers.add_argument("--strides", metavar="N,...", type=_numbers, help="in elements (default: row-major)")
    numbers.add_argument("--dtype", metavar="NAME", default="f32", help="f16, bf16, f32, float16, ... (default: f32)")
    numbers.add_argument("--base", metavar="ADDRESS", type=lambda text: int(text, 0), help="data_ptr() of the tensor")
    asked = parser.add_argument_group("what is asked")
    asked.add_argument(
        "--takes-ld", action="store_true", help="the kernel takes the leading dimension: padding is fine"
    )
    asked.add_argument("--vector", metavar="BYTES", type=int, help="rows must start aligned to this, for vector access")
    asked.add_argument(
        "--problem", metavar="PROBLEM", type=Path, help="compare with a tensor of this problem, strictly"
    )
    asked.add_argument("--tensor", metavar="NAME", help="which one")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    return _run


def _run(arguments: argparse.Namespace) -> int:
    from warpgauge.commands.screen import console, print_json
    from warpgauge.report.tensor_layout import layout_json, render_layout

    wanted = _wanted(arguments)
    answers = [(name, found, objections(found, arguments, wanted)) for name, found in _given(arguments)]
    if arguments.json:
        print_json(layout_json(answers))
    else:
        for name, found, against in answers:
            render_layout(console(), name, found, against)
    return 1 if any(against for _, _, against in answers) else 0


def objections(found: Described, arguments: argparse.Namespace, wanted: Layout | None) -> tuple[str, ...]:
    """Why a kernel may not be given this array; empty if it may."""
    from warpgauge.problem.describe import layout_mismatches

    against = list(layout_mismatches(found, wanted)) if wanted else []
    padded = arguments.takes_ld and found.order in ("padded", "padded column-major")
    if wanted is None and not found.dense and not padded:
        against.append(found.words)
    if arguments.vector and (found.alignment is None or found.alignment % arguments.vector):
        has = (
            "the address is not known" if found.alignment is None else f"rows start aligned to {found.alignment} bytes"
        )
        against.append(f"{has}, a vector of {arguments.vector} bytes is asked for")
    return tuple(against)


def _wanted(arguments: argparse.Namespace) -> Layout | None:
    from warpgauge.problem import load_problem
    from warpgauge.problem.place import fail, near

    if (arguments.problem is None) != (arguments.tensor is None):
        raise fail("PRB901", "--problem and --tensor go together", "")
    if arguments.problem is None:
        return None
    problem = load_problem(arguments.problem)
    if arguments.tensor not in problem.tensors:
        message = f'{problem.name} has no tensor "{arguments.tensor}"'
        raise fail("PRB901", message, "", help=near(arguments.tensor, problem.tensors))
    return problem.layout(arguments.tensor, problem.dims)


def _given(arguments: argparse.Namespace) -> Sequence[tuple[str, Described]]:
    from dataclasses import replace

    from warpgauge.problem.describe import describe, describe_layout, item_bytes_of
    from warpgauge.problem.layout import row_major
    from warpgauge.problem.place import fail

    if bool(arguments.files) == (arguments.shape is not None):
        raise fail("PRB901", "give FILE.npy, or --shape with --strides", "")
    if arguments.shape is None:
        # Where a file happens to be loaded says nothing about the address that a kernel will be given.
        return [(str(path), replace(describe_layout(_array(path)), base=None)) for path in arguments.files]
    strides = row_major(arguments.shape) if arguments.strides is None else arguments.strides
    try:
        size = item_bytes_of(arguments.dtype)
        return [("tensor", describe(arguments.dtype, arguments.shape, strides, size, arguments.base))]
    except ValueError as error:
        raise fail("PRB901", str(error), "") from None


def _array(path: Path) -> object:
    import numpy as np

    from warpgauge.problem.place import fail

    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise fail("PRB907", f"cannot read {path}: {error.strerror or error}", "") from None
    except (ValueError, EOFError) as error:
        raise fail("PRB907", f"{path} is not a .npy file of numbers: {error}", "") from None
