"""Where commands print: terminals that behave without a terminal, and JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console

from warpgauge.diagnostics import WarpgaugeError
from warpgauge.diagnostics.terminal import render


def console(*, stderr: bool = False) -> Console:
    """A console on stdout (or stderr): 80 columns and no colour where that is not a terminal; NO_COLOR is honoured."""
    return Console(stderr=stderr, highlight=False, emoji=False, markup=False)


def print_json(document: dict[str, Any]) -> None:
    """The document and nothing else, in one write."""
    sys.stdout.write(json.dumps(document, indent=1, allow_nan=False) + "\n")
    sys.stdout.flush()


def show_error(error: WarpgaugeError) -> None:
    """The diagnostics of a usage, problem or build error, on stderr."""
    screen = console(stderr=True)
    for diagnostic in error.diagnostics:
        render(screen, diagnostic, error.sources)
