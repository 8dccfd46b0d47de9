"""Comments that silence a finding on their line: `// warpgauge: ignore MEM102 the halo is loaded once`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from warpgauge.evidence import Location

from .codes import CODES
from .record import Diagnostic, Span

_COMMENT = re.compile(r"(?://|/\*)\s*warpgauge:\s*ignore\b(?P<rest>.*?)(?:\*/|$)")
_CODES = re.compile(r"\s*(?P<codes>[A-Za-z]+\d+(?:\s*,\s*[A-Za-z]+\d+)*)(?P<reason>.*)")
_HELP = "write // warpgauge: ignore CODE reason, at the end of the line that the finding names"


@dataclass(frozen=True)
class Ignore:
    """One comment: the codes that it names, the reason that it gives, its place and its length in columns."""

    codes: tuple[str, ...]
    reason: str
    location: Location
    length: int

    @property
    def objection(self) -> str:
        """Why this comment silences nothing, empty if it may."""
        if not self.codes:
            return "the comment names no code"
        for code in self.codes:
            if code not in CODES:
                return f'"{code}" is not a code'
            if not CODES[code].silenceable:
                return f"{code} cannot be silenced: {CODES[code].title} is not a matter of speed"
        return "" if self.reason else f"the comment gives no reason for silencing {', '.join(self.codes)}"


def ignores(sources: Mapping[str, str]) -> tuple[Ignore, ...]:
    """Every such comment in files by path, in order; a file that goes by two spellings of its path counts once."""
    found: dict[tuple[str, int, int], Ignore] = {}
    for file, text in sources.items():
        path = os.path.normpath(file)
        for number, line in enumerate(text.split("\n") if "warpgauge:" in text else (), 1):
            for match in _COMMENT.finditer(line):
                parts = _CODES.match(match["rest"])
                codes = tuple(code.strip() for code in parts["codes"].split(",")) if parts else ()
                reason = parts["reason"].strip(" \t\r:-") if parts else ""
                location = Location(path, number, match.start() + 1)
                ignore = Ignore(codes, reason, location, len(match[0].rstrip()))
                found.setdefault((path, number, location.column), ignore)
    return tuple(found.values())


def reasons_by_place(found: tuple[Ignore, ...]) -> dict[tuple[str, int, str], str]:
    """(path, line, code) -> reason, for the comments that silence."""
    return {
        (ignore.location.file, ignore.location.line, code): ignore.reason
        for ignore in found
        if not ignore.objection
        for code in ignore.codes
    }


def objections(found: tuple[Ignore, ...]) -> list[Diagnostic]:
    """A warning for each comment that silences nothing."""
    return [
        Diagnostic("PRB910", "warning", ignore.objection, Span(ignore.location, ignore.length), help=_HELP)
        for ignore in found
        if ignore.objection
    ]
