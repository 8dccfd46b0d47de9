"""`warpgauge check`: judge the candidates of a problem."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="judge the candidates of a problem against its contracts",
        description="Compiles each candidate, executes it on the virtual GPU and judges it against every contract.",
    )
    parser.add_argument("problem", metavar="PROBLEM", type=Path, help="a problem.toml, or a folder that holds one")
    parser.add_argument(
        "--candidate",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="a candidate.toml (repeatable); default: the folder's candidate.toml and candidates/*.toml",
    )
    parser.add_argument("--only", metavar="CONTRACT", action="append", default=[], help="judge this contract only")
    parser.add_argument("--skip", metavar="CONTRACT", action="append", default=[], help="leave this contract out")
    parser.add_argument("--arch", metavar="SM", help="architecture instead of the problem's, for example sm_80")
    parser.add_argument("--stop-on-fail", action="store_true", help="stop a candidate at its first binding FAIL")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.evaluate import check_files, worst_code
    from warpgauge.report.check_json import check_json
    from warpgauge.report.check_terminal import render_check

    from .screen import console, print_json

    evaluations = check_files(
        arguments.problem,
        arguments.candidate,
        arch=arguments.arch,
        only=arguments.only,
        skip=arguments.skip,
        stop_on_fail=arguments.stop_on_fail,
    )
    if arguments.json:
        print_json(check_json(evaluations))
    else:
        render_check(console(), evaluations)
    return worst_code(evaluation.exit_code for evaluation in evaluations)
