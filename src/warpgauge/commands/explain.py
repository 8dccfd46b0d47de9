"""`warpgauge explain`: the page of a diagnostic code."""

from __future__ import annotations

import argparse
import contextlib
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "explain",
        help="say what a diagnostic code means and how to fix it",
        description="Prints the page of a code, with a bad and a good kernel; without a code, the table of all codes.",
    )
    parser.add_argument("code", metavar="CODE", nargs="?", help="for example MEM101; without it every code is listed")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.diagnostics import CODES, code_row
    from warpgauge.diagnostics.terminal import show
    from warpgauge.report.explain_terminal import render_codes, render_page

    from .screen import console

    if arguments.code is None:
        render_codes(console())
        return 0
    code = arguments.code.upper()
    if code not in CODES:
        with contextlib.suppress(KeyError):
            show(
                console(),
                f"{code}: {code_row(code).title}. The check that the problem names under [contracts] gives it.",
            )
            return 0
        from warpgauge.problem.place import fail, near

        raise fail("PRB901", f'unknown code "{arguments.code}"', "", help=near(code, CODES))
    render_page(console(), code)
    return 0
