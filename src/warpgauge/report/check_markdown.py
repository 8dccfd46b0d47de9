"""`check --markdown`: evaluations for a comment on a change."""

from __future__ import annotations

from collections.abc import Sequence

from warpgauge.contracts import Verdict
from warpgauge.diagnostics.markdown import escaped, finding
from warpgauge.evaluate.record import Evaluation

from .cells import (
    CONTRACT_HEADINGS,
    contract_cells,
    determinism_words,
    reasons,
    resources_words,
    silenced_line,
    silenced_words,
)

MOST_FINDINGS = 20
"""Findings shown per candidate: a comment has a limited length, and whoever has more begins with the first ones."""

_ORDER = {"error": 0, "warning": 1, "note": 2}
_MARKS = {Verdict.PASS: "✅", Verdict.FAIL: "❌", Verdict.UNKNOWN: "❔"}


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _findings(evaluation: Evaluation) -> list[str]:
    ordered = sorted(evaluation.diagnostics, key=lambda d: _ORDER[d.severity])
    shown = "\n".join(finding(diagnostic, evaluation.sources) for diagnostic in ordered[:MOST_FINDINGS])
    left = len(ordered) - MOST_FINDINGS
    return [shown, *([f"and {left} more findings"] if left > 0 else [])] if ordered else []


def _silenced(evaluation: Evaluation) -> list[str]:
    lines = []
    for title, group in evaluation.silenced_by_title:
        lines += [f"- {escaped(silenced_words(title, group))}", *(f"  - {escaped(silenced_line(s))}" for s in group)]
    return ["\n".join(lines)] if lines else []


def _candidate(evaluation: Evaluation) -> str:
    parts = [f"#### {_MARKS[evaluation.verdict]} {escaped(evaluation.candidate)}: {evaluation.verdict}"]
    if evaluation.contracts:
        cells = [[escaped(cell) for cell in contract_cells(row)] for row in evaluation.contracts]
        parts.append(_table(CONTRACT_HEADINGS, cells))
    for words in (resources_words(evaluation.resources), determinism_words(evaluation.determinism)):
        if words:
            parts.append(escaped(words))
    return "\n\n".join([*parts, *_silenced(evaluation), *_findings(evaluation)])


def check_markdown(evaluations: Sequence[Evaluation]) -> str:
    """The candidates of one problem: a row each where there are several, then their contracts and findings."""
    problem = evaluations[0].problem if evaluations else ""
    parts = [f"### warpgauge: {escaped(problem)}"]
    if len(evaluations) > 1:
        rows = [
            [escaped(e.candidate), f"{_MARKS[e.verdict]} {e.verdict}", escaped(reasons(e)) or "-", str(len(e.silenced))]
            for e in evaluations
        ]
        parts.append(_table(("candidate", "verdict", "because of", "silenced"), rows))
    return "\n\n".join([*parts, *map(_candidate, evaluations)]) + "\n"
