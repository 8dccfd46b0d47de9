"""`warpgauge sass`: what the machine code of a kernel says about its loops."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

_SOURCES = (".cu", ".ptx")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "sass",
        help="what the machine code says: loops, pipes, waits, and a predicted time",
        description="Instruction mix, issue cycles, pipe and latency bounds of every loop, and the distance from loads "
        "to their uses. For a problem, some blocks are executed to count the turns of loops. All of it is predicted.",
    )
    parser.add_argument(
        "subject", metavar="PROBLEM|FILE.cu", type=Path, help="a problem (file or folder), or a source without one"
    )
    parser.add_argument("--candidate", metavar="FILE", type=Path, help="a candidate.toml (default: the first)")
    parser.add_argument("--entry", metavar="NAME", help="one kernel; a template instance as name<...>")
    parser.add_argument("--arch", metavar="SM", help="architecture instead of the problem's (for a FILE.cu: sm_90)")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.evaluate.machine import sass_of_problem, sass_of_source
    from warpgauge.problem.place import fail
    from warpgauge.report.sass import render_sass, sass_json

    from .screen import console, print_json

    if arguments.subject.suffix in _SOURCES:
        if arguments.candidate:
            raise fail("PRB901", f"--candidate needs a problem, and {arguments.subject} is a source", "")
        report = sass_of_source(arguments.subject, entry=arguments.entry, arch=arguments.arch or "sm_90")
    else:
        report = sass_of_problem(arguments.subject, arguments.candidate, entry=arguments.entry, arch=arguments.arch)
    if arguments.json:
        print_json(sass_json(report))
    else:
        render_sass(console(), report)
    return 0
