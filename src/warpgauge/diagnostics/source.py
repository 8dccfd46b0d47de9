"""Source lines for renderers: how a path is shown, and the text that a caret stands under."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .record import Span

_TAB = 4


def shown_path(file: str) -> str:
    """`file` relative to the working directory where it lies inside it, else as it is."""
    absolute = os.path.abspath(file)
    relative = os.path.relpath(absolute)
    return file if relative.startswith("..") else relative


def line_text(file: str, line: int, sources: Mapping[str, str]) -> str | None:
    """The text of one line: from `sources` (what the compiler read), else from the file, else None."""
    text = sources.get(file)
    if text is None and line > 0:
        try:
            text = Path(file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
    lines = (text or "").splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else None


def underlined(text: str, span: Span) -> tuple[str, str]:
    """(the line, the carets under it) with tabs expanded; an unknown column underlines the whole text of the line."""
    stop = len(text.rstrip())
    start = span.location.column - 1 if span.location.column else len(text) - len(text.lstrip())
    start = min(start, max(stop - 1, 0))
    end = min(start + span.length, stop) if span.length else stop
    marks = "".join("\t" if c == "\t" else " " for c in text[:start]) + "^" * max(end - start, 1)
    return text.rstrip().expandtabs(_TAB), marks.expandtabs(_TAB)


def windowed(line: str, marks: str, room: int) -> tuple[str, str]:
    """Both cut to `room` columns, from the left where the first caret would otherwise lie outside."""
    start = len(marks) - len(marks.lstrip())
    if len(line) <= room or start < room * 3 // 4:
        return line[:room], marks[:room]
    cut = start - room // 4
    return "..." + line[cut + 3 : cut + room], marks[cut : cut + room]
