"""Safety: what the virtual GPU found wrong while the kernels ran with full checking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from warpgauge.diagnostics import Diagnostic
from warpgauge.diagnostics.faults import fault_diagnostic
from warpgauge.evidence import Coverage, Fault, Location, Provenance

from .case import Case, Trial, blocks, gap
from .result import ContractResult, Verdict, unknown

NAME = "safety"
UNIT = "findings"

_Key = tuple[str, Location, tuple[Location, ...]]


def _findings(case: Case) -> tuple[Diagnostic, ...]:
    """One diagnostic per distinct finding: the first occurrence speaks, later ones are counted."""
    first: dict[_Key, tuple[Fault, Trial]] = {}
    counts: dict[_Key, int] = {}
    for trial in case.trials:
        for execution in trial.executions:
            for fault in execution.faults:
                key = (fault.code, fault.location, tuple(location for location, _ in fault.related))
                first.setdefault(key, (fault, trial))
                counts[key] = counts.get(key, 0) + fault.count
    return tuple(
        fault_diagnostic(replace(fault, count=counts[key]), shape=dict(trial.dims), inputs=trial.inputs)
        for key, (fault, trial) in first.items()
    )


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """FAIL on any fault that is not a warning, in any execution; PASS only if every shape ran whole and checked.

    A fault in a run that could not go on is still a fault; a clean part of a run is no proof.
    """
    diagnostics = _findings(case)
    errors = [d for d in diagnostics if d.severity == "error"]
    trials = case.declared()
    coverage: Coverage | None = blocks(tuple(e for t in trials for e in t.executions)) if trials else None
    result = ContractResult(
        NAME,
        Verdict.FAIL if errors else Verdict.PASS,
        measured=len(errors),
        asked=0,
        unit=UNIT,
        provenance=Provenance("counted"),
        coverage=coverage,
        diagnostics=diagnostics,
    )
    if errors:
        return result
    reason = ""
    if not any(t.role == "judge" for t in trials):
        reason = case.missing.get("virtual", "the judged shape was not executed")
    for trial in trials:
        reason = reason or gap(trial)
        if not reason and not all(e.checked for e in trial.executions):
            reason = f"{trial.title} ran without checking"
    return replace(unknown(NAME, reason, coverage=coverage), diagnostics=diagnostics) if reason else result
