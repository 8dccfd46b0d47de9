"""A trace for a terminal: counters, access sites, findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from warpgauge.diagnostics.source import shown_path
from warpgauge.diagnostics.terminal import render, show
from warpgauge.evaluate.trace import TraceResult
from warpgauge.evidence import Site


def _table(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="underline")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="left" if index == 0 else "right", overflow="fold")
    return table


def _cost(site: Site) -> tuple[str, str]:
    """(what the site cost, the least it could cost), in the unit of its space."""
    if site.space == "shared":
        detail = f" ({site.provenance.detail})" if site.provenance.detail else ""
        return f"{site.wavefronts:,} wavefronts{detail}", f"{site.wavefronts - site.conflicts:,}"
    if site.space == "global":
        return f"{site.sectors:,} sectors", f"{site.ideal_sectors:,}"
    return "-", "-"


def render_trace(console: Console, result: TraceResult, files: Mapping[str, str]) -> None:
    """Counters of the launch, a row per access site, every fault, and the files that were written."""
    grid, block = (" x ".join(str(n) for n in index) for index in (result.grid, result.block))
    show(console, (result.kernel, "bold"), f"  grid {grid}, block {block}, {result.coverage} executed")
    console.print()
    counters = _table("counter", "counted")
    for name, value in asdict(result.counters).items():
        counters.add_row(name.replace("_", " "), f"{value:,}")
    console.print(counters)
    console.print()
    sites = _table("line", "access", "bytes/lane", "requests", "cost", "ideal")
    for site in result.sites:
        place = f"{shown_path(site.location.file)}:{site.location.line}"
        access = f"{site.space} {site.op}"
        sites.add_row(place, access, str(site.bytes_per_lane), f"{site.requests:,}", *_cost(site))
    console.print(sites)
    if not result.completed:
        console.print()
        show(console, (f"{result.kernel} did not run to its end: {result.stopped}", "bold yellow"))
    for diagnostic in result.diagnostics:
        console.print()
        render(console, diagnostic, result.sources)
    if files:
        console.print()
    for name, path in files.items():
        show(console, f"{name}: {path}")
