"""Words and numbers that every report of an evaluation shares."""

from __future__ import annotations

from collections.abc import Sequence

from warpgauge.contracts import ContractResult, Determinism, Verdict
from warpgauge.diagnostics import Silenced
from warpgauge.diagnostics.source import shown_path
from warpgauge.evaluate.record import Evaluation
from warpgauge.evaluate.resources import PROVENANCE, KernelUse
from warpgauge.evidence import Coverage


def number(value: float | None) -> str:
    """A number for a cell: integers whole, others to three significant digits."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.3g}"


def measured_cell(row: ContractResult) -> str:
    if row.measured is None:
        return row.reason if row.verdict is Verdict.PASS and row.reason else "-"
    return f"{number(row.measured)} {row.unit}".strip()


def coverage_cell(coverage: Coverage | None) -> str:
    if coverage is None or not coverage.total:
        return "-"
    if coverage.complete and coverage.total == 1:
        return f"the 1 {coverage.unit.removesuffix('s')}"
    share = "all" if coverage.complete else f"{coverage.done:,} of"
    return f"{share} {coverage.total:,} {coverage.unit}"


def contract_cells(row: ContractResult) -> tuple[str, ...]:
    """One row under `CONTRACT_HEADINGS`."""
    return (
        row.title,
        str(row.verdict),
        measured_cell(row),
        number(row.asked),
        coverage_cell(row.coverage),
        str(row.provenance) if row.provenance else "-",
        "yes" if row.binds else "no",
    )


CONTRACT_HEADINGS = ("contract", "verdict", "measured", "asked", "coverage", "evidence", "binds")


def silenced_words(title: str, silenced: Sequence[Silenced]) -> str:
    """How many findings of a contract, or of the review, are silenced and by what."""
    count = len(silenced)
    kinds = [(f"a {kind}" if kind == "comment" else f"the {kind}", kind) for kind in ("comment", "baseline")]
    by = [f"{n} by {words}" for words, kind in kinds if (n := sum(s.by == kind for s in silenced))]
    return f"{title}: {count} finding{'s' if count > 1 else ''} silenced ({', '.join(by)})"


def silenced_line(silenced: Silenced) -> str:
    """One silenced finding: its code, its place, why."""
    finding = silenced.diagnostic
    place = finding.primary.location if finding.primary else None
    at = f" {shown_path(place.file)}:{place.line}" if place else ""
    return f"{finding.code}{at}: {silenced.reason}"


def reasons(evaluation: Evaluation) -> str:
    """The binding contracts that decide a candidate's verdict; empty for one that passes."""
    deciding = [row.title for row in evaluation.contracts if row.binds and row.verdict is evaluation.verdict]
    return ", ".join(deciding) if evaluation.exit_code else ""


def _shared(use: KernelUse) -> str:
    kinds = [(use.static_shared, "static"), (use.dynamic_shared, "dynamic")]
    parts = [f"{size:,} bytes of {kind}" for size, kind in kinds if size]
    return f"{' and '.join(parts) or 'no'} shared memory per block"


def resources_words(uses: Sequence[KernelUse]) -> str:
    """What each kernel takes of a multiprocessor; empty where nothing was built."""
    kernels = [f"{use.entry} {use.registers} registers per thread, {_shared(use)}" for use in uses]
    return f"resources: {'; '.join(kernels)} ({PROVENANCE})" if kernels else ""


def determinism_words(fact: Determinism | None) -> str:
    """Whether outputs keep their bits under other orders, and what that rests on; empty where nothing was executed."""
    if fact is None:
        return ""
    shapes = "; ".join(", ".join(f"{name}={value}" for name, value in dims.items()) for dims in fact.shapes)
    rests = (
        f"{fact.orders} permuted orders of up to {fact.blocks:,} blocks of {fact.warps} warps, at {shapes} "
        f"({coverage_cell(fact.coverage)}, {fact.provenance})"
    )
    if fact.equal is None:
        return f"determinism unknown: {fact.reason}"
    if not fact.shapes:
        return "determinism: one warp, so there is no order to permute"
    return f"determinism: {'the same bits' if fact.equal else 'other bits'} under {rests}"
