"""Bank conflicts: wavefronts that a shared-memory access takes beyond one per group of lanes."""

from __future__ import annotations

from collections.abc import Mapping

from warpgauge.arch import avoidable, bank_cost
from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Execution, Provenance, Site

from .across_launches import across_launches
from .bank_advice import conflict_advice
from .case import Case, blocks, judged
from .lines import Line, by_line, by_tile, deciding, exact_requests, unknown_lanes
from .result import ContractResult, Verdict, unknown
from .witness import inlining, site_evidence

NAME = "bank_conflicts"
UNIT = "conflicts"


def conflicts_of(site: Site) -> int:
    """The conflicts of a site that a layout could avoid.

    Wavefronts that are needed to carry the lanes' own bytes are none (`avoidable`); but one request that truly
    conflicts must not hide behind others that were served in fewer. A tile whose lanes are not known shows none.
    """
    if by_tile(site):
        return 0
    if worst := site.worst:
        lanes = sum(lane is not None for lane in worst.lanes)
        groups = bank_cost(worst.lanes, site.bytes_per_lane, merge_pairs=site.op == "load").groups
        if not avoidable(worst.wavefronts, worst.wavefronts - groups, lanes, site.bytes_per_lane):
            return avoidable(site.wavefronts, site.conflicts, site.lanes, site.bytes_per_lane)
    return site.conflicts


def _advice(site: Site, lines: tuple[Line, ...]) -> str:
    if site.worst is None:
        return ""
    buffer = site.worst.buffer
    known = [s for line in lines for s in line.sites if s is not site and s.worst and not by_tile(s)]
    return conflict_advice(site, [s for s in known if s.worst and s.worst.buffer == buffer])


def _diagnostic(line: Line, lines: tuple[Line, ...], most: float, share: float) -> Diagnostic:
    requests, wavefronts = line.total("requests"), line.total("wavefronts")
    conflicts = sum(conflicts_of(site) for site in line.sites)
    worst = max(line.sites, key=lambda s: (conflicts_of(s) / s.requests, s.conflicts, -s.ptx_line))
    message = (
        f"shared {line.op} of {line.widths} bytes per lane takes {wavefronts / requests:.3g} wavefronts per request "
        f"where {(wavefronts - conflicts) / requests:.3g} would do: {conflicts:,} conflicts, asked {most:g} "
        f"({100 * share:.3g} % of the launch's shared wavefronts)"
    )
    evidence = site_evidence(worst) | {
        "requests": requests,
        "wavefronts": wavefronts,
        "conflicts": conflicts,
        "share": share,
    }
    return Diagnostic("SHM201", "error", message, Span(line.location), inlining(worst), _advice(worst, lines), evidence)


def _launch(execution: Execution, most: float, share: float) -> tuple[int, list[Diagnostic], tuple[Line, ...]]:
    """Conflicts of one launch's lines that fail, its findings, and all of its shared lines."""
    lines = by_line(execution.sites, "shared")
    total = sum(line.total("wavefronts") for line in lines)
    conflicts, found = 0, []
    for line in lines:
        site = deciding(line, "wavefronts", lambda s: conflicts_of(s) / s.requests, share * total)
        of_line = sum(conflicts_of(s) for s in line.sites)
        if site is not None and conflicts_of(site) and of_line > most:
            conflicts += of_line
            found.append(_diagnostic(line, lines, most, line.total("wavefronts") / total))
    return conflicts, found, lines


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """FAIL if, on the judged shape, a line that carries `site_share` of its launch's shared wavefronts has conflicts.

    UNKNOWN, unless another line fails, if a line moves a tile whose lanes are not known: it may have conflicts.
    `measured` is the conflicts of the lines that fail. Settings: most_conflicts (of one line), site_share.
    """
    executions, reason = judged(case)
    if reason:
        return unknown(NAME, reason, coverage=blocks(executions) if executions else None)
    outcomes = [_launch(execution, settings["most_conflicts"], settings["site_share"]) for execution in executions]
    conflicts = sum(outcome[0] for outcome in outcomes)
    lines = [line for outcome in outcomes for line in outcome[2]]
    diagnostics = across_launches(case, [outcome[1] for outcome in outcomes], "wavefronts")
    coverage = exact_requests(lines) or blocks(executions)
    if not diagnostics and (reason := unknown_lanes(lines)):
        return unknown(NAME, reason, coverage=coverage)
    return ContractResult(
        NAME,
        Verdict.FAIL if diagnostics else Verdict.PASS,
        measured=conflicts,
        asked=settings["most_conflicts"],
        unit=UNIT,
        provenance=max((line.provenance for line in lines), key=lambda p: p.detail, default=Provenance("counted")),
        coverage=coverage,
        diagnostics=diagnostics,
    )
