"""`check` for a terminal: a row per contract, then the findings."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from warpgauge.contracts import ContractResult, Verdict
from warpgauge.diagnostics.terminal import render, show, wrapped
from warpgauge.evaluate.record import Evaluation
from warpgauge.evidence import Coverage

_STYLES = {
    Verdict.PASS: "bold green",
    Verdict.FAIL: "bold red",
    Verdict.UNKNOWN: "bold yellow",
    Verdict.NOT_ASKED: "dim",
}
_LIMITS = "Not modelled by the virtual GPU: caches beyond the request, DRAM, time. Coalesced is not yet fast."


def number(value: float | None) -> str:
    """A number for a cell: integers whole, others to three significant digits."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.3g}"


def _measured(row: ContractResult) -> str:
    return "-" if row.measured is None else f"{number(row.measured)} {row.unit}".strip()


def _coverage(coverage: Coverage | None) -> str:
    if coverage is None or not coverage.total:
        return "-"
    share = "all" if coverage.complete else f"{coverage.done:,} of"
    return f"{share} {coverage.total:,} {coverage.unit}"


def contract_table(evaluation: Evaluation) -> Table:
    """The rows of one candidate."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="underline")
    for heading in ("contract", "verdict", "measured", "asked", "coverage", "evidence", "binds"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("contract", "verdict", "binds"))
    for row in evaluation.contracts:
        table.add_row(
            row.title,
            Text(str(row.verdict), style=_STYLES[row.verdict]),
            _measured(row),
            number(row.asked),
            _coverage(row.coverage),
            str(row.provenance) if row.provenance else "-",
            "yes" if row.binds else "no",
        )
    return table


def render_evaluation(console: Console, evaluation: Evaluation) -> None:
    """One candidate: its name and verdict, the table, the findings."""
    verdict = evaluation.verdict
    show(console, (f"{evaluation.problem}: {evaluation.candidate}", "bold"), "  ", (str(verdict), _STYLES[verdict]))
    if evaluation.contracts:
        console.print()
        console.print(contract_table(evaluation))
    for diagnostic in evaluation.diagnostics:
        console.print()
        render(console, diagnostic, evaluation.sources)
    console.print()


def render_check(console: Console, evaluations: Sequence[Evaluation]) -> None:
    """All candidates of one problem, then one line each when there are several."""
    for evaluation in evaluations:
        render_evaluation(console, evaluation)
    if len(evaluations) > 1:
        width = max(len(evaluation.candidate) for evaluation in evaluations)
        for evaluation in evaluations:
            verdict = str(evaluation.verdict)
            reasons = [row.title for row in evaluation.contracts if row.binds and row.verdict is evaluation.verdict]
            tail = f"  ({', '.join(reasons)})" if reasons and evaluation.verdict is not Verdict.PASS else ""
            show(console, f"{evaluation.candidate:<{width}}  ", (verdict, _STYLES[evaluation.verdict]), tail)
    if any(run for evaluation in evaluations for run in evaluation.runs):
        for line in wrapped(_LIMITS, console.width, "", ""):
            show(console, (line, "dim"))
