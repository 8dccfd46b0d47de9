"""Diagnostics for a terminal: the finding, the source line with carets, the worst request's lanes, what to change."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from .record import Diagnostic, Span
from .source import line_text, shown_path, underlined, windowed

STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_LANES_PER_ROW = (8, 4)


def show(console: Console, *parts: str | tuple[str, str]) -> None:
    """One line, printed as it is: never wrapped, highlighted or read as markup."""
    console.print(Text.assemble(*parts), soft_wrap=True, highlight=False)


def wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """`text` in lines of at most `width`, the first prefixed by `first`, the others by `rest`."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    ) or [first.rstrip()]


def _snippet(console: Console, span: Span, arrow: str, gutter: int, style: str, sources: Mapping[str, str]) -> None:
    location = span.location
    place = shown_path(location.file) + (f":{location.line}" if location.line else "")
    place += f":{location.column}" if location.line and location.column else ""
    label = f": {span.label}" if span.label else ""
    show(console, (" " * gutter + arrow, "blue"), f" {place}{label}")
    text = line_text(location.file, location.line, sources)
    if text is None or not text.strip():
        return
    line, marks = windowed(*underlined(text, span), console.width - gutter - 3)
    show(console, (" " * gutter + " |", "blue"))
    show(console, (f"{location.line:>{gutter}} | ", "blue"), line)
    show(console, (" " * gutter + " | ", "blue"), (marks, style))


def lane_rows(lanes: Sequence[int | None], width: int) -> list[str]:
    """Byte addresses by lane as rows of 8 (4 where 8 do not fit in `width`); a dash for an inactive lane."""
    cells = ["-" if lane is None else str(lane) for lane in lanes]
    widest = max((len(cell) for cell in cells), default=1)
    per_row = next((n for n in _LANES_PER_ROW if 14 + n * (widest + 1) <= width), _LANES_PER_ROW[-1])
    rows = []
    for start in range(0, len(cells), per_row):
        row = cells[start : start + per_row]
        last = start + len(row) - 1
        rows.append(f"lanes {start:>2}-{last:<2} " + " ".join(f"{cell:>{widest}}" for cell in row))
    return rows


def _worst(console: Console, evidence: Mapping[str, Any], gutter: int) -> None:
    worst = evidence.get("worst")
    if not worst:
        return
    shared = evidence.get("space") == "shared"
    cost = f"{worst['wavefronts']} wavefronts" if shared else f"{worst['sectors']} sectors"
    block = ", ".join(str(index) for index in worst["block"])
    # Banks go by the address within all of shared memory, so it is not counted from the array.
    of = ", in shared memory, of" if shared else " of"
    buffer = f"{of} {worst['buffer']}" if worst["buffer"] else ""
    head = f"worst request: block ({block}), warp {worst['warp']}, {cost}; byte address by lane{buffer}:"
    pad = " " * gutter
    for line in wrapped(head, console.width, f"{pad} = ", f"{pad}   "):
        show(console, line)
    for row in lane_rows(worst["lanes"], console.width - gutter - 5):
        show(console, f"{pad}     {row}")


def render(console: Console, diagnostic: Diagnostic, sources: Mapping[str, str]) -> None:
    """Prints one diagnostic; `sources` maps the files whose lines may be shown to their texts."""
    style = STYLES[diagnostic.severity]
    head = f"{diagnostic.severity}[{diagnostic.code}]"
    first, *rest = wrapped(f"{head}: {diagnostic.message}", console.width, "", "  ")
    show(console, (first[: len(head)], style), (first[len(head) :], "bold"))
    for line in rest:
        show(console, (line, "bold"))
    spans = ([diagnostic.primary] if diagnostic.primary else []) + list(diagnostic.related)
    gutter = max((len(str(span.location.line)) for span in spans), default=1) + 1
    if diagnostic.primary:
        _snippet(console, diagnostic.primary, "-->", gutter, style, sources)
    for span in diagnostic.related:
        _snippet(console, span, ":::", gutter, "blue", sources)
    _worst(console, diagnostic.evidence, gutter)
    if diagnostic.help:
        for line in wrapped(f"help: {diagnostic.help}", console.width, " " * gutter + " = ", " " * gutter + "   "):
            show(console, line)
