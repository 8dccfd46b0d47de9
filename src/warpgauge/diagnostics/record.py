"""The one diagnostic record; renderers turn it into terminal text, JSON, SARIF, Markdown or a prompt."""

from __future__ import annotations

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


class WarpgaugeError(Exception):
    """A usage, problem or build error that carries its diagnostics (exit code 2 unless a contract owns it)."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in diagnostics))
