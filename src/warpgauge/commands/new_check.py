"""`warpgauge new-check`: a contract of the user's own, with a test that runs and can fail."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "new-check",
        help="write a contract of your own, with its test, to start from",
        description="Writes a folder with a contract in Python, its test, a problem that names it, and a kernel that "
        "keeps it and one that breaks it. Never overwrites a file.",
    )
    parser.add_argument("name", metavar="NAME", help="the contract's name: lower-case letters, digits and _")
    parser.add_argument("--folder", metavar="FOLDER", type=Path, help="where to (default: NAME)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.diagnostics.terminal import show
    from warpgauge.problem.place import fail
    from warpgauge.problem.settings import own_name_objection
    from warpgauge.starter import write_check

    from .screen import console

    if objection := own_name_objection(arguments.name):
        raise fail("PRB901", objection, "")
    folder = arguments.folder or Path(arguments.name)
    screen = console()
    for path in write_check(folder, arguments.name):
        show(screen, f"wrote {path}")
    show(screen, f"next: python -m pytest {folder}")
    return 0
