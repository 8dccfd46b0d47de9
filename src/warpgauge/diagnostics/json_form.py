"""Diagnostics as plain JSON data."""

from __future__ import annotations

import math
from typing import Any

from .record import Diagnostic, Span
from .source import shown_path


def finite(value: Any) -> Any:
    """`value` with every number that JSON cannot hold (NaN, infinity) as None, at any depth."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def span_json(span: Span) -> dict[str, Any]:
    location = span.location
    return {"file": shown_path(location.file), "line": location.line, "column": location.column}


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """The object that `check --json` prints for one diagnostic."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "primary": span_json(diagnostic.primary) if diagnostic.primary else None,
        "related": [span_json(span) | {"label": span.label} for span in diagnostic.related],
        "help": diagnostic.help,
        "evidence": finite(diagnostic.evidence),
    }
