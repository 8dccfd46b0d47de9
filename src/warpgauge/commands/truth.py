"""`warpgauge truth`: the virtual GPU's counters beside what hardware read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "truth",
        help="compare predicted counters with hardware readings",
        description="Executes the kernels of a folder of readings, compares every counter; exit code 1 if any differs.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="holds counters*.json and the .cu files it speaks of")
    parser.add_argument("--only", metavar="KERNEL", action="append", default=[], help="just this kernel (repeatable)")
    parser.add_argument("--differences", action="store_true", help="print only the rows that differ")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.evaluate.truth import compare_folder
    from warpgauge.report.truth_terminal import render_truth

    from .screen import console

    rows = compare_folder(arguments.folder, only=arguments.only)
    render_truth(console(), rows, differences_only=arguments.differences)
    return 0 if all(row.equal for row in rows) else 1
