"""Source lines for renderers: how a path is shown, and the text that a caret stands under."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .record import Span

_TAB = 4


def shown_path(file: str) -> str:
    """`file` relative to the working directory where it lies inside it, else as it is."""
    absolute = os.path.abspath(file)
    relative = os.path.relpath(absolute)
    return file if relative.startswith("..") else relative


def line_text(file: str, line: int, sources: Mapping[str, str]) -> str | None:
    """The text of one line as `sources` has it, None where it does not.

    Never from the file itself: a `#line` directive can name any file, and its content is not the candidate's to show.
    """
    lines = sources.get(file, "").splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else None


def extent(text: str, span: Span) -> tuple[int, int]:
    """The part of its line that a span marks, as offsets; an unknown column marks the whole text of the line."""
    stop = len(text.rstrip())
    start = span.location.column - 1 if span.location.column else len(text) - len(text.lstrip())
    start = min(start, max(stop - 1, 0))
    end = min(start + span.length, stop) if span.length else stop
    return start, max(end, start + 1)


def underlined(text: str, span: Span) -> tuple[str, str]:
    """(the line, the carets under it) with tabs expanded."""
    start, end = extent(text, span)
    marks = "".join("\t" if c == "\t" else " " for c in text[:start]) + "^" * (end - start)
    return text.rstrip().expandtabs(_TAB), marks.expandtabs(_TAB)


def windowed(line: str, marks: str, room: int) -> tuple[str, str]:
    """Both cut to `room` columns, from the left where the first caret would otherwise lie outside."""
    start = len(marks) - len(marks.lstrip())
    if len(line) <= room or start < room * 3 // 4:
        return line[:room], marks[:room]
    cut = start - room // 4
    return "..." + line[cut + 3 : cut + room], marks[cut : cut + room]
