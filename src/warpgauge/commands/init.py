"""`warpgauge init`: a first problem, with a kernel that passes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "init",
        help="write a first problem, candidate and kernel to start from",
        description="Writes a commented problem.toml, candidate.toml and kernel.cu that pass as they are. "
        "Never overwrites a file.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to; made if it does not exist")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.diagnostics.terminal import show
    from warpgauge.starter import write_starter

    from .screen import console

    screen = console()
    for path in write_starter(arguments.folder):
        show(screen, f"wrote {path}")
    show(screen, f"next: warpgauge check {arguments.folder}")
    return 0
