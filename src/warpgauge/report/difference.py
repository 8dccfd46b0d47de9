"""`diff` for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console

from warpgauge.diagnostics.terminal import STYLES, show, wrapped
from warpgauge.evaluate.difference import CandidateChange, Contract, ContractChange, Difference, Finding

from .cells import number

_TRENDS = {"better": "green", "worse": "bold red", "changed": "yellow"}


def difference_json(found: Difference) -> dict[str, Any]:
    """Plain data: a row per candidate, whether it changed or not."""

    def row(contract: Contract | None) -> dict[str, Any] | None:
        return contract.model_dump(mode="json") if contract else None

    def findings(these: tuple[Finding, ...]) -> list[dict[str, Any]]:
        return [finding.model_dump(mode="json") for finding in these]

    return {
        "schema": 1,
        "problem": found.problem,
        "worse": found.worse,
        "candidates": [
            {
                "name": candidate.name,
                "presence": candidate.presence,
                "worse": candidate.worse,
                "before": candidate.before,
                "after": candidate.after,
                "contracts": [
                    {"name": c.name, "trend": c.trend, "before": row(c.before), "after": row(c.after)}
                    for c in candidate.contracts
                ],
                "new": findings(candidate.new),
                "fixed": findings(candidate.fixed),
                "silenced": findings(candidate.silenced),
            }
            for candidate in found.candidates
        ],
    }


def _state(row: Contract | None) -> str:
    if row is None:
        return "no row"
    measured = "" if row.measured is None else f" at {number(row.measured)} {row.unit}".rstrip()
    asked = "" if row.asked is None else f", asked {number(row.asked)}"
    return f"{row.verdict}{measured}{asked}{'' if row.binds or row.verdict == 'NOT ASKED' else ', advisory'}"


def _contract(change: ContractChange) -> str:
    return f"{change.name.replace('_', ' ')}: {_state(change.before)} -> {_state(change.after)}"


def _finding(finding: Finding) -> str:
    place = f" {finding.primary.file}:{finding.primary.line}" if finding.primary else ""
    return f"{finding.severity}[{finding.code}]{place}: {finding.message}"


def _lines(candidate: CandidateChange) -> Iterator[tuple[str, str, str]]:
    """(word, its style, text) of everything that changed."""
    for change in candidate.contracts:
        yield change.trend, _TRENDS[change.trend], _contract(change)
    for finding in candidate.new:
        yield "new", STYLES[finding.severity], _finding(finding)
    for finding in candidate.fixed:
        yield "fixed", "green", _finding(finding)
    for finding in candidate.silenced:
        yield "silenced", "yellow", _finding(finding)


def render_difference(console: Console, found: Difference) -> None:
    """Every candidate that changed, then one sentence."""
    changed = [candidate for candidate in found.candidates if candidate.changed]
    for candidate in changed:
        if candidate.presence == "both":
            verdicts = (
                candidate.after if candidate.before == candidate.after else f"{candidate.before} -> {candidate.after}"
            )
        else:
            verdicts = f"{candidate.after}, {candidate.presence}"
        show(console, (f"{found.problem}: {candidate.name}", "bold"), f"  {verdicts}")
        for word, style, text in _lines(candidate):
            first, *rest = wrapped(text, max(console.width - 11, 24), "", "")
            show(console, "  ", (f"{word:<9}", style), first)
            for line in rest:
                show(console, " " * 11 + line)
        show(console, "")
    same = len(found.candidates) - len(changed)
    verdict = "something got worse" if found.worse else "nothing got worse" if changed else "nothing changed"
    unchanged = f"; {same} candidate{'s' if same != 1 else ''} unchanged" if changed and same else ""
    show(console, (verdict, "bold red" if found.worse else "bold green"), unchanged)
