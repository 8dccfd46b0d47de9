"""The entry points: one function per name, all of them `run_checker`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial

from warpgauge.commands.exit_codes import UNKNOWN
from warpgauge.commands.main import guarded
from warpgauge.commands.main import main as command_line

from . import contract, layout
from .table import CHECKERS, Checker


def run_checker(name: str, argv: Sequence[str] | None = None) -> int:
    """Runs one checker and returns its exit code: 0 PASS, 1 FAIL, 2 a wrong call or file, 3 UNKNOWN."""
    row = CHECKERS[name]
    given = sys.argv[1:] if argv is None else list(argv)
    if row.kind == "occupancy":
        return command_line(["occupancy", *given])
    parser = argparse.ArgumentParser(prog=name, description=f"{row.what[0].upper()}{row.what[1:]}.")
    run = _PREPARE[row.kind](row, parser)
    arguments = parser.parse_args(given)
    return guarded(lambda: run(arguments), own_process=argv is None)


Run = Callable[[argparse.Namespace], int]


def _device(row: Checker, parser: argparse.ArgumentParser) -> Run:
    parser.add_argument("anything", nargs=argparse.REMAINDER, help="is not looked at")

    def run(arguments: argparse.Namespace) -> int:
        print(
            f"{row.name} UNKNOWN: {row.what} is measured on a GPU, which this version of warpgauge does not drive.\n"
            "Nothing was run and nothing is guessed. What a CPU can count: warpgauge check, warpgauge trace."
        )
        return UNKNOWN

    return run


_PREPARE: dict[str, Callable[[Checker, argparse.ArgumentParser], Run]] = {
    "contract": contract.prepare,
    "layout": layout.prepare,
    "device": _device,
}

check_memory_coalescing = partial(run_checker, "check_memory_coalescing")
validate_coalescing = partial(run_checker, "validate_coalescing")
check_bank_conflict = partial(run_checker, "check_bank_conflict")
check_shuffle = partial(run_checker, "check_shuffle")
validate_numerical = partial(run_checker, "validate_numerical")
check_occupancy = partial(run_checker, "check_occupancy")
check_tensor_layout = partial(run_checker, "check_tensor_layout")
stall_analyzer = partial(run_checker, "stall_analyzer")
benchmark_kernel = partial(run_checker, "benchmark_kernel")
