"""What a compile error at a name of the candidate's `defines` means: the compiler never saw that name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from warpgauge.diagnostics import Diagnostic

_NAME = re.compile(r"[A-Za-z_]\w*")


def explain_macros(
    errors: Sequence[Diagnostic], sources: Mapping[str, str], macros: Mapping[str, str]
) -> list[Diagnostic]:
    """The errors, with help for those that point at a macro: what it reads as, and that a declaration clashes."""
    return [_explained(error, sources, macros) for error in errors]


def _explained(error: Diagnostic, sources: Mapping[str, str], macros: Mapping[str, str]) -> Diagnostic:
    where = error.primary.location if error.primary else None
    if error.help or where is None or where.file not in sources or where.column < 1:
        return error
    lines = sources[where.file].split("\n")
    found = _NAME.match(lines[where.line - 1], where.column - 1) if 0 < where.line <= len(lines) else None
    if found is None or found[0] not in macros:
        return error
    name = found[0]
    advice = (
        f"{name} is one of the candidate's defines and reads as {macros[name] or 'nothing'} here: what the source "
        "declares itself (a template parameter, say) needs another name"
    )
    return replace(error, help=advice)
