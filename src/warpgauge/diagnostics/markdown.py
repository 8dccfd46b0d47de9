"""Diagnostics as Markdown for a comment on a change: one line each, the source line and the advice folded away."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from .codes import code_row
from .record import Diagnostic, Span
from .source import line_text, shown_path, underlined
from .visible import visible

_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")


def escaped(text: str) -> str:
    """Text that shows as it is: no markup, no HTML, no mention of a user, on one line."""
    return _SPECIAL.sub(r"\\\1", html.escape(visible(" ".join(text.split())), quote=False)).replace("@", "&#64;")


def fenced(text: str, language: str = "") -> str:
    """A code block that the text cannot end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{visible(text)}\n{fence}"


def _where(span: Span) -> str:
    place = span.location
    line = f":{place.line}" if place.line else ""
    return f"{escaped(shown_path(place.file))}{line}"


def _snippet(span: Span, sources: Mapping[str, str]) -> str:
    text = line_text(span.location.file, span.location.line, sources)
    if text is None or not text.strip():
        return ""
    line, marks = underlined(text, span)
    indent = len(line) - len(line.lstrip())
    return fenced(f"{line[indent:]}\n{marks[indent:]}", "cuda")


def finding(diagnostic: Diagnostic, sources: Mapping[str, str]) -> str:
    """One finding as a list item."""
    place = f" at {_where(diagnostic.primary)}" if diagnostic.primary else ""
    head = f"- **{diagnostic.severity} {diagnostic.code}**{place}: {escaped(diagnostic.message)}"
    parts = [_snippet(diagnostic.primary, sources)] if diagnostic.primary else []
    parts += [f"{escaped(span.label or 'see also')}: {_where(span)}" for span in diagnostic.related]
    parts += [f"Help: {escaped(diagnostic.help)}"] if diagnostic.help else []
    body = "\n\n".join(part for part in parts if part)
    if not body:
        return head
    title = escaped(code_row(diagnostic.code).title)
    folded = f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"
    return head + "\n" + "\n".join(f"  {line}" if line else "" for line in folded.splitlines())
