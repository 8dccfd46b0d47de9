"""Memory access: how many of the sectors that a global access moves it needs."""

from __future__ import annotations

from collections.abc import Mapping

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Execution, Provenance

from .across_launches import across_launches
from .case import Case, blocks, judged
from .lanes import coalescing_advice
from .lines import Line, by_line, deciding, exact_requests, unknown_lanes
from .result import ContractResult, Verdict, unknown
from .witness import inlining, site_evidence

NAME = "memory_access"
UNIT = "efficiency"


def _diagnostic(line: Line, efficiency: float, share: float, asked: float, failed: bool) -> Diagnostic:
    requests, sectors, ideal = (line.total(f) for f in ("requests", "sectors", "ideal_sectors"))
    worst = max(line.sites, key=lambda s: (-s.efficiency, s.sectors, -s.ptx_line))
    # A line of several accesses is judged by its worst; the sectors are those of all.
    which = "" if abs(ideal / sectors - efficiency) < 0.005 else f" in the worst of its {len(line.sites)} accesses"
    message = (
        f"global {line.op} of {line.widths} bytes per lane moves {sectors / requests:.3g} sectors per request where "
        f"{ideal / requests:.3g} would do: efficiency {efficiency:.3g}{which}, asked {asked:.3g} "
        f"({100 * share:.3g} % of the launch's global sectors)"
    )
    seen = worst.worst
    help = coalescing_advice(seen.lanes, worst.bytes_per_lane, seen.sectors) if seen else ""
    evidence = site_evidence(worst) | {
        "requests": requests,
        "sectors": sectors,
        "ideal_sectors": ideal,
        "efficiency": efficiency,
        "asked": asked,
        "share": share,
    }
    code, severity = ("MEM101", "error") if failed else ("MEM102", "warning")
    return Diagnostic(code, severity, message, Span(line.location), inlining(worst), help, evidence)  # type: ignore[arg-type]


def _launch(execution: Execution, settings: Mapping[str, float]) -> tuple[float, list[Diagnostic], list[Line]]:
    """The lowest efficiency of one launch's lines that count, its findings, and the lines that were judged."""
    lines = by_line(execution.sites, "global")
    total = sum(line.total("sectors") for line in lines)
    lowest, found, counted = 1.0, [], []
    for line in lines:
        site = deciding(line, "sectors", lambda s: -s.efficiency, settings["site_share"] * total)
        if site is None:
            continue
        counted.append(line)
        lowest = min(lowest, site.efficiency)
        failed = site.efficiency < settings["site_floor"]
        if failed or site.efficiency < settings["site_warning"]:
            asked = settings["site_floor"] if failed else settings["site_warning"]
            found.append(_diagnostic(line, site.efficiency, line.total("sectors") / total, asked, failed))
    return lowest, found, counted


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """FAIL if, on the judged shape, a line that carries `site_share` of its launch's sectors is under `site_floor`.

    UNKNOWN, unless another line fails, if such a line moves a tile whose lanes are not known.

    Settings: site_floor, site_warning (ideal / moved sectors), site_share.
    """
    executions, reason = judged(case)
    if reason:
        return unknown(NAME, reason, coverage=blocks(executions) if executions else None)
    outcomes = [_launch(execution, settings) for execution in executions]
    lowest = min(outcome[0] for outcome in outcomes)
    lines = [line for outcome in outcomes for line in outcome[2]]
    diagnostics = across_launches(case, [outcome[1] for outcome in outcomes], "sectors")
    failed = any(d.code == "MEM101" for d in diagnostics)
    coverage = exact_requests(lines) or blocks(executions)
    if not failed and (reason := unknown_lanes(lines)):
        return unknown(NAME, reason, coverage=coverage, diagnostics=diagnostics)
    return ContractResult(
        NAME,
        Verdict.FAIL if failed else Verdict.PASS,
        measured=lowest,
        asked=settings["site_floor"],
        unit=UNIT,
        provenance=max((line.provenance for line in lines), key=lambda p: p.detail, default=Provenance("counted")),
        coverage=coverage,
        diagnostics=diagnostics,
    )
