"""Diagnostics as SARIF 2.1.0 objects: a rule per code, a result per finding."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .codes import CODES, code_row
from .pages import page, sections
from .record import Diagnostic, Silenced, Span
from .source import extent, line_text, shown_path

_KINDS = {"comment": "inSource", "baseline": "external"}


def rule(code: str) -> dict[str, Any]:
    """The reportingDescriptor of a code, with its page as help. KeyError for a code that is not in the table."""
    row = code_row(code)
    if code not in CODES:
        text = {"text": f"{row.title}; its author gives the code its meaning"}
        return {"id": code, "name": "OwnContract", "shortDescription": text, "defaultConfiguration": {"level": "error"}}
    parts = sections(code)
    return {
        "id": row.code,
        "name": "".join(word.capitalize() for word in re.findall(r"[A-Za-z0-9]+", row.title)),
        "shortDescription": {"text": row.title},
        "fullDescription": {"text": " ".join(parts["What it means"].split())},
        "help": {"text": parts["How to fix it"], "markdown": page(code)},
        "defaultConfiguration": {"level": row.severity},
    }


def uri(file: str) -> str:
    """A file's URI: relative to the working directory where it lies inside it, absolute elsewhere."""
    shown = shown_path(file)
    return quote(Path(shown).as_posix()) if not os.path.isabs(shown) else Path(shown).as_uri()


def location(span: Span, sources: Mapping[str, str]) -> dict[str, Any]:
    """The location of a span; the region covers what a terminal would underline."""
    place = span.location
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(place.file)}}
    if place.line:
        physical["region"] = {"startLine": place.line} | _columns(span, sources)
    message = {"message": {"text": span.label}} if span.label else {}
    return {"physicalLocation": physical} | message


def _columns(span: Span, sources: Mapping[str, str]) -> dict[str, int]:
    text = line_text(span.location.file, span.location.line, sources)
    if text is None:
        return {"startColumn": span.location.column} if span.location.column else {}
    start, end = extent(text, span)
    return {"startColumn": start + 1, "endColumn": end + 1}


def fingerprint(diagnostic: Diagnostic, sources: Mapping[str, str], *names: str) -> str:
    """Equal for the same finding in an edited file: it rests on the text of its line and not on the line's number."""
    parts = [diagnostic.code, *names]
    if diagnostic.primary:
        place = diagnostic.primary.location
        text = line_text(place.file, place.line, sources) or ""
        parts += [uri(place.file), " ".join(text.split())]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def result(
    diagnostic: Diagnostic, rules: Mapping[str, int], sources: Mapping[str, str], names: Mapping[str, str]
) -> dict[str, Any]:
    """One finding. `rules` maps codes to the place of their rule; `names` says whose it is (problem, candidate)."""
    message = diagnostic.message + (f"\n\nhelp: {diagnostic.help}" if diagnostic.help else "")
    answer: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rules[diagnostic.code],
        "level": diagnostic.severity,
        "message": {"text": message},
        "locations": [location(diagnostic.primary, sources)] if diagnostic.primary else [],
        "partialFingerprints": {"warpgaugeFinding/v1": fingerprint(diagnostic, sources, *names.values())},
        "properties": dict(names),
    }
    if diagnostic.related:
        answer["relatedLocations"] = [
            {"id": index} | location(span, sources) for index, span in enumerate(diagnostic.related, 1)
        ]
    return answer


def suppression(silenced: Silenced) -> dict[str, Any]:
    """Why a result is not to be shown as open."""
    return {"kind": _KINDS[silenced.by], "status": "accepted", "justification": silenced.reason}
