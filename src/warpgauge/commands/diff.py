"""`warpgauge diff`: what changed between two evaluations."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "diff",
        help="compare two outputs of check --json",
        description="Prints contracts whose verdict or number changed, and new and fixed findings. "
        "Exit code 1 if something got worse.",
    )
    parser.add_argument("before", metavar="A.json", type=Path, help="what check --json printed before")
    parser.add_argument("after", metavar="B.json", type=Path, help="what it prints now")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.evaluate.difference import difference, load_document
    from warpgauge.report.difference import difference_json, render_difference

    from .screen import console, print_json

    found = difference(load_document(arguments.before), load_document(arguments.after))
    if arguments.json:
        print_json(difference_json(found))
    else:
        render_difference(console(), found)
    return 1 if found.worse else 0
