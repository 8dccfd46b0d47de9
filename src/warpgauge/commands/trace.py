"""`warpgauge trace`: what one launch of one kernel does, outside any problem."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "trace",
        help="execute one kernel and print its counters, access sites and faults",
        description="Executes one launch on the virtual GPU. A fault sets exit code 1; findings about speed never do.",
    )
    parser.add_argument("source", metavar="FILE.cu", type=Path, help="CUDA C++, or PTX if it ends in .ptx")
    entry = "the kernel; a template instance as name<...> (default: the file's only kernel)"
    parser.add_argument("--entry", metavar="NAME", help=entry)
    parser.add_argument("--launch", metavar="LAUNCH.toml", type=Path, required=True, help="grid, block, args and so on")
    parser.add_argument("--arch", metavar="SM", default="sm_90", help="architecture to compile for (default: sm_90)")
    parser.add_argument("--out", metavar="DIR", type=Path, help="write every buffer to DIR as .npy after the launch")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.evaluate import load_launch, save_outputs, trace_kernel
    from warpgauge.report.trace_json import trace_json
    from warpgauge.report.trace_terminal import render_trace

    from .screen import console, print_json

    launch = load_launch(arguments.launch)
    result = trace_kernel(arguments.source, arguments.entry, launch, arch=arguments.arch)
    files = save_outputs(result, arguments.out) if arguments.out else {}
    if arguments.json:
        print_json(trace_json(result, files))
        if not result.completed:
            print(f"warpgauge: {result.kernel} did not run to its end: {result.stopped}", file=sys.stderr)
    else:
        render_trace(console(), result, files)
    return result.exit_code
