"""`doctor` for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from warpgauge.diagnostics.terminal import show, wrapped
from warpgauge.doctor import Finding

_STYLES = {"ok": "green", "missing": "yellow", "broken": "bold red"}


def doctor_json(findings: Sequence[Finding], healthy: bool) -> dict[str, Any]:
    return {"schema": 1, "healthy": healthy, "pieces": [asdict(finding) for finding in findings]}


def _line(console: Console, finding: Finding, width: int) -> None:
    head = f"{finding.name:<{width}}"
    indent = width + 10
    text = finding.found + _more(finding)
    first, *rest = wrapped(text, max(console.width - indent, 24), "", "")
    show(console, head, "  ", (f"{finding.state:<7}", _STYLES[finding.state]), " ", first)
    for line in rest:
        show(console, " " * indent + line)


def _more(finding: Finding) -> str:
    """What a piece that is missing would be for, and whether one that is there is used at all."""
    if finding.state == "ok":
        return "" if finding.used else " (not used yet)"
    if finding.needed:
        return f". Needed for: {finding.gives}"
    return f". Would add{'' if finding.used else ' in a later version'}: {finding.gives}"


def render_doctor(console: Console, findings: Sequence[Finding], healthy: bool) -> None:
    """What is needed, then what more there is or could be, then one sentence."""
    width = max(len(finding.name) for finding in findings)
    for title, needed in (("needed", True), ("more", False)):
        show(console, (title, "underline"))
        for finding in findings:
            if finding.needed == needed:
                _line(console, finding, width)
        show(console, "")
    verdict = "warpgauge can judge kernels here" if healthy else "warpgauge cannot judge kernels here"
    show(console, (verdict, "bold green" if healthy else "bold red"))
