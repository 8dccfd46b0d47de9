"""What single checkers print: the contract's report, and the requests behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from rich.console import Console

from warpgauge.arch import bank_cost
from warpgauge.contracts import Verdict
from warpgauge.contracts.bank_conflicts import conflicts_of
from warpgauge.contracts.lines import Line, by_line
from warpgauge.diagnostics.source import shown_path
from warpgauge.diagnostics.terminal import lane_rows, render, show
from warpgauge.evaluate.record import Evaluation
from warpgauge.evidence import Site

from .check_terminal import render_check

# What a checker of masks shows: its own finding, and whatever kept the kernel from being built or read.
_ABOUT_MASKS = ("SAF608", "SRC", "PRB")
Judged = Sequence[tuple[Evaluation, Verdict]]
View = Callable[[Console, Judged], None]


def _lines(evaluation: Evaluation, space: str) -> Iterator[Line]:
    """The lines of the judged shape that access `space`, launch by launch, in source order."""
    for run in evaluation.runs:
        if (run.role, run.inputs) == ("judge", "declared"):
            yield from by_line(run.sites, space)


def _head(console: Console, evaluation: Evaluation, verdict: Verdict) -> None:
    show(console, (f"{evaluation.problem}: {evaluation.candidate}  {verdict}", "bold"))


def _access(line: Line) -> str:
    place = f"{shown_path(line.location.file)}:{line.location.line}"
    return f"{place}: {line.space} {line.op} of {line.widths} bytes per lane, {line.total('requests'):,} requests"


def contract_view(console: Console, judged: Judged) -> None:
    """The report of `warpgauge check`."""
    render_check(console, [evaluation for evaluation, _ in judged])


def requests_view(console: Console, judged: Judged) -> None:
    """Every line with a global access, and the 32 byte addresses of its worst request, then the report."""
    for evaluation, verdict in judged:
        _head(console, evaluation, verdict)
        for line in _lines(evaluation, "global"):
            sectors, fewest = line.total("sectors"), line.total("ideal_sectors")
            show(console, f"{_access(line)}, {sectors:,} sectors, fewest {fewest:,}")
            site = min(line.sites, key=lambda s: (s.efficiency, -s.sectors, s.ptx_line))
            if site.worst:
                block = ", ".join(map(str, site.worst.block))
                buffer = f" of {site.worst.buffer}" if site.worst.buffer else ""
                show(
                    console,
                    f"  worst: block ({block}), warp {site.worst.warp}, {site.worst.sectors} sectors; byte address by "
                    f"lane{buffer}:",
                )
                for row in lane_rows(site.worst.lanes, console.width - 4):
                    show(console, f"    {row}")
        console.print()
    contract_view(console, judged)


def degree(site: Site) -> int:
    """How many wavefronts the worst request takes for each that it needs: 1 is free of conflicts, 32 the worst."""
    if site.worst is None or not conflicts_of(site):
        return 1
    groups = bank_cost(site.worst.lanes, site.bytes_per_lane, merge_pairs=site.op == "load").groups
    return max(1, -(-site.worst.wavefronts // max(1, groups)))


def degrees_view(console: Console, judged: Judged) -> None:
    """Every line with a shared access, with the degree of its worst request, then the report."""
    for evaluation, verdict in judged:
        _head(console, evaluation, verdict)
        for line in _lines(evaluation, "shared"):
            ways = max(map(degree, line.sites))
            words = f"{ways}-way conflict" if ways > 1 else "no conflict"
            show(console, f"{_access(line)}: {words} at worst, {sum(map(conflicts_of, line.sites)):,} conflicts in all")
        console.print()
    contract_view(console, judged)


def shuffles_view(console: Console, judged: Judged) -> None:
    """The findings about masks, and how many others the safety contract has."""
    for evaluation, verdict in judged:
        _head(console, evaluation, verdict)
        if verdict is Verdict.PASS and not any(d.code == "SAF608" for d in evaluation.diagnostics):
            show(console, "every mask that was executed names the lanes that it should")
        for reason in [row.reason for row in evaluation.contracts if row.reason]:
            show(console, f"UNKNOWN: {reason}")
        shown = [d for d in evaluation.diagnostics if d.code.startswith(_ABOUT_MASKS)]
        for diagnostic in shown:
            console.print()
            render(console, diagnostic, evaluation.sources)
        others = sum(d.severity == "error" for d in evaluation.diagnostics if d not in shown)
        if others:
            show(console, f"other findings: {others}; warpgauge check --only safety shows them")
        console.print()


VIEWS: Mapping[str, View] = MappingProxyType(
    {"contract": contract_view, "requests": requests_view, "degrees": degrees_view, "shuffles": shuffles_view}
)
