"""The one diagnostic record; renderers turn it into terminal text, JSON, SARIF, Markdown or a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from warpgauge.evidence import Location

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Span:
    """A place to point at: a location, how many columns to underline (0: the line's text) and a word for it."""

    location: Location
    length: int = 0
    label: str = ""


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `code` must be a row of `codes.CODES`; `help` says what to change, with numbers.

    `evidence` is plain JSON data (numbers with their provenance, lanes and addresses of the worst request);
    renderers decide how much of it to show.
    """

    code: str
    severity: Severity
    message: str
    primary: Span | None = None
    related: tuple[Span, ...] = ()
    help: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Silenced:
    """A finding that somebody decided to live with, and the reason they gave."""

    diagnostic: Diagnostic
    by: Literal["comment", "baseline"]
    reason: str


class WarpgaugeError(Exception):
    """A usage, problem or build error that carries its diagnostics (exit code 2 unless a contract owns it).

    `sources` maps the files that they point at to their texts, as far as these may be shown.
    """

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        self.sources: dict[str, str] = {}
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in diagnostics))

    def showing(self, sources: Mapping[str, str]) -> WarpgaugeError:
        """The same error, with these texts beside those that it has."""
        self.sources = {**sources, **self.sources}
        return self
