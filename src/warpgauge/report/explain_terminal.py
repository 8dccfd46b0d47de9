"""`explain` for a terminal: one code's page, or the table of all codes."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown

from warpgauge.diagnostics import CODES
from warpgauge.diagnostics.pages import page, with_file_names
from warpgauge.diagnostics.terminal import STYLES, show


def render_page(console: Console, code: str) -> None:
    """The page of a code; KeyError for one that is not in the table."""
    console.print(Markdown(with_file_names(page(code)), code_theme="ansi_dark"))


def render_codes(console: Console) -> None:
    """A line per code: what it is called, how severe it is, what it means."""
    width = max(len(row.severity) for row in CODES.values())
    for row in CODES.values():
        show(console, (row.code, "bold"), "  ", (f"{row.severity:<{width}}", STYLES[row.severity]), f"  {row.title}")
