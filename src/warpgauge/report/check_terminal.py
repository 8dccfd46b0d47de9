"""`check` for a terminal: a row per contract, then the findings."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from warpgauge.contracts import Verdict
from warpgauge.diagnostics import Diagnostic
from warpgauge.diagnostics.terminal import render, show, wrapped
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
from .needs import render_needs

_STYLES = {
    Verdict.PASS: "bold green",
    Verdict.FAIL: "bold red",
    Verdict.UNKNOWN: "bold yellow",
    Verdict.NOT_ASKED: "dim",
}
#: One slip makes a hundred compile errors; those after the first screen say nothing new.
MOST_COMPILE_ERRORS = 10
_LIMITS = "Not modelled by the virtual GPU: caches beyond the request, DRAM, time. Coalesced is not yet fast."


def contract_table(evaluation: Evaluation) -> Table:
    """The rows of one candidate."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="underline")
    for heading in CONTRACT_HEADINGS:
        table.add_column(heading, overflow="fold", no_wrap=heading in ("contract", "verdict", "binds"))
    for row in evaluation.contracts:
        title, verdict, *rest = contract_cells(row)
        table.add_row(title, Text(verdict, style=_STYLES[row.verdict]), *rest)
    return table


def _render_silenced(console: Console, evaluation: Evaluation) -> None:
    if not evaluation.silenced:
        return
    console.print()
    for title, group in evaluation.silenced_by_title:
        for line in wrapped(silenced_words(title, group), console.width, "", "  "):
            show(console, (line, "yellow"))
        for silenced in group:
            for line in wrapped(silenced_line(silenced), console.width, "  ", "    "):
                show(console, line)


def _render_unsaid(console: Console, evaluation: Evaluation) -> None:
    """Why a contract is UNKNOWN, where no finding says so."""
    said = {d.evidence.get("reason") for d in evaluation.diagnostics if d.code == "PRB909"}
    for row in evaluation.contracts:
        if row.verdict is Verdict.UNKNOWN and row.reason and row.reason not in said:
            for line in wrapped(f"{row.title} UNKNOWN: {row.reason}", console.width, "  ", "    "):
                show(console, (line, "dim"))


def _worth_showing(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """All but the compile errors after the first `MOST_COMPILE_ERRORS`."""
    compile_errors = [d for d in diagnostics if d.code == "SRC801"]
    left_out = {id(d) for d in compile_errors[MOST_COMPILE_ERRORS:]}
    return [d for d in diagnostics if id(d) not in left_out]


def render_evaluation(console: Console, evaluation: Evaluation) -> None:
    """One candidate: its name and verdict, the table, the findings."""
    verdict = evaluation.verdict
    show(console, (f"{evaluation.problem}: {evaluation.candidate}", "bold"), "  ", (str(verdict), _STYLES[verdict]))
    if evaluation.contracts:
        console.print()
        console.print(contract_table(evaluation))
    if words := resources_words(evaluation.resources):
        for line in wrapped(words, console.width, "", "  "):
            show(console, (line, "dim"))
    if words := determinism_words(evaluation.determinism):
        for line in wrapped(words, console.width, "", "  "):
            show(console, (line, "dim" if evaluation.determinism and evaluation.determinism.equal else ""))
    _render_silenced(console, evaluation)
    _render_unsaid(console, evaluation)
    render_needs(console, evaluation.needs)
    shown = _worth_showing(evaluation.diagnostics)
    for diagnostic in shown:
        console.print()
        render(console, diagnostic, evaluation.sources)
    if left := len(evaluation.diagnostics) - len(shown):
        console.print()
        show(console, (f"and {left} more compile errors: --json has all of them", "bold"))
    console.print()


def render_check(console: Console, evaluations: Sequence[Evaluation]) -> None:
    """All candidates of one problem, then one line each when there are several."""
    for evaluation in evaluations:
        render_evaluation(console, evaluation)
    if len(evaluations) > 1:
        width = max(len(evaluation.candidate) for evaluation in evaluations)
        for evaluation in evaluations:
            verdict = str(evaluation.verdict)
            deciding = reasons(evaluation)
            tail = f"  ({deciding})" if deciding else ""
            show(console, f"{evaluation.candidate:<{width}}  ", (verdict, _STYLES[evaluation.verdict]), tail)
    if any(run for evaluation in evaluations for run in evaluation.runs):
        for line in wrapped(_LIMITS, console.width, "", ""):
            show(console, (line, "dim"))
