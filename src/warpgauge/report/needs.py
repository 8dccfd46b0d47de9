"""What a candidate needs of an architecture, for a terminal and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from warpgauge.diagnostics.json_form import span_json
from warpgauge.diagnostics.record import Span
from warpgauge.diagnostics.terminal import show, wrapped
from warpgauge.evaluate.needs import Needs
from warpgauge.evidence import helper_file
from warpgauge.ptx.needs import Construct

_SHOWN = 3


def needs_json(needs: Needs) -> dict[str, Any]:
    """The `needs` object of `check --json`."""
    return {
        "built_for": needs.built_for,
        "lowest": needs.lowest.target if needs.lowest else None,
        "constructs": [
            {
                "construct": c.need.name,
                "since": f"sm_{c.need.since}",
                "targets": list(c.need.targets),
                "chosen": c.chosen,
                "count": c.count,
                "place": span_json(Span(c.location)) if c.location.file else None,
                "ptx_line": c.ptx_line,
            }
            for c in needs.constructs
        ],
        "launches": list(needs.launches),
        "archs": [{"arch": fit.arch, "target": fit.target, "reason": fit.reason} for fit in needs.fits],
    }


def _lines(constructs: list[Construct]) -> str:
    files: dict[str, set[int]] = {}
    for c in (c for c in constructs if c.location.line):
        files.setdefault(helper_file(c.location, c.inlined), set()).add(c.location.line)
    parts = []
    for file, lines in sorted(files.items()):
        shown = ", ".join(map(str, sorted(lines)[:_SHOWN])) + (", ..." if len(lines) > _SHOWN else "")
        parts.append(f"line{'s' * (len(lines) > 1)} {shown}" + (f" of {file}" if file else ""))
    return f" ({'; '.join(parts)})" if parts else ""


def needs_lines(needs: Needs) -> list[str]:
    """One sentence for each thing that ties the candidate to an architecture; none for one that runs on all."""
    lowest = needs.lowest
    tied = [c for c in needs.constructs if not c.chosen]
    if lowest is None:
        reason = next((fit.reason for fit in needs.fits if fit.arch in needs.built_for), needs.fits[-1].reason)
        return [f"no known architecture holds it: {reason}", *needs.launches]
    sentences = []
    by_words: dict[str, dict[str, list[Construct]]] = {}
    for construct in tied:
        by_words.setdefault(construct.need.words, {}).setdefault(construct.need.name, []).append(construct)
    for words, names in by_words.items():
        sentences.append(f"needs {words}: " + ", ".join(name + _lines(where) for name, where in names.items()))
    sentences += needs.launches
    without = [fit.arch for fit in needs.fits if fit.reason]
    if without:
        fitting = ", ".join(fit.target for fit in needs.fits if not fit.reason)
        sentences.append(f"as built for {needs.built_for}, these can hold it: {fitting}")
    return sentences


def render_needs(console: Console, needs: Needs | None) -> None:
    """The sentences, after a table of contracts."""
    lines = needs_lines(needs) if needs else []
    if lines:
        console.print()
    for line in lines:
        for part in wrapped(line, console.width, "", "  "):
            show(console, part)
