"""Where a value of a problem, candidate or launch file stands, and the one way to complain about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from warpgauge.diagnostics import Diagnostic, Span, WarpgaugeError
from warpgauge.evidence import Location

Key = tuple[str | int, ...]


def dotted(key: Key) -> str:
    """`("launch", 0, "grid", 1)` -> `launch[0].grid[1]`."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


@dataclass(frozen=True)
class Place:
    """A key, and where known the file and line that hold it."""

    key: str
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.key}" if self.location else self.key

    @property
    def span(self) -> Span | None:
        return Span(self.location) if self.location else None


Where = str | Place


def complaint(code: str, message: str, where: Where, *, help: str = "") -> Diagnostic:
    """An error diagnostic whose message starts with the key, and which points at the file where that is known."""
    key = where if isinstance(where, str) else where.key
    span = None if isinstance(where, str) else where.span
    return Diagnostic(code, "error", f"{key}: {message}" if key else message, primary=span, help=help)


def fail(code: str, message: str, where: Where, *, help: str = "") -> WarpgaugeError:
    """The exception that carries one `complaint`; the caller raises it."""
    return WarpgaugeError(complaint(code, message, where, help=help))


def near(word: str, known: Iterable[str]) -> str:
    """`did you mean "x"?`, or a list of what exists, for a word that is not among the known ones."""
    words = sorted(set(known))
    matches = difflib.get_close_matches(word, words, n=2, cutoff=0.6)
    if matches:
        return "did you mean " + " or ".join(f'"{match}"' for match in matches) + "?"
    return "known here: " + ", ".join(words) if words else ""
