"""Where commands print: terminals that behave without a terminal, and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from warpgauge.diagnostics import WarpgaugeError
from warpgauge.diagnostics.terminal import render
from warpgauge.diagnostics.visible import visible


class _Screen(Console):
    """A console whose control sequences are its own: those inside printed text are shown, not obeyed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def console(*, stderr: bool = False) -> Console:
    """A console on stdout (or stderr): 80 columns and no colour where that is not a terminal; NO_COLOR is honoured."""
    return _Screen(stderr=stderr, highlight=False, emoji=False, markup=False)


def print_json(document: dict[str, Any]) -> None:
    """The document and nothing else, in one write."""
    sys.stdout.write(json.dumps(document, indent=1, allow_nan=False) + "\n")
    sys.stdout.flush()


def show_error(error: WarpgaugeError) -> None:
    """The diagnostics of a usage, problem or build error, on stderr."""
    screen = console(stderr=True)
    for diagnostic in error.diagnostics:
        render(screen, diagnostic, error.sources)
