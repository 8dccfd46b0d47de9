"""Safety: what the virtual GPU found wrong while the kernels ran with full checking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from warpgauge.diagnostics import Diagnostic
from warpgauge.diagnostics.faults import fault_diagnostic
from warpgauge.evidence import Coverage, Fault, Location, Provenance

from .case import Case, Trial, blocks, gap, support
from .result import ContractResult, Verdict, unknown

NAME = "safety"
UNIT = "findings"

_Key = tuple[str, Location, tuple[Location, ...]]


def _findings(case: Case) -> tuple[Diagnostic, ...]:
    """One diagnostic per distinct finding: the first occurrence speaks, later ones are counted.

    A permuted order repeats what the order of the numbers did; it only counts for what that did not show.
    """
    first: dict[_Key, tuple[Fault, Trial]] = {}
    for trials in (case.trials, case.permuted):
        known = set(first)
        for trial, fault in ((t, f) for t in trials for e in t.executions for f in e.faults):
            key = (fault.code, fault.location, tuple(location for location, _ in fault.related))
            if key not in known:
                spoken, where = first.get(key, (None, trial))
                first[key] = (spoken.counted_with(fault) if spoken else fault, where)
    return tuple(_diagnostic(fault, trial) for fault, trial in first.values())


def _diagnostic(fault: Fault, trial: Trial) -> Diagnostic:
    if trial.order:
        fault = replace(fault, message=f"{fault.message} (with blocks and warps in {trial.order})")
    order = {"order": trial.order} if trial.order else {}
    return fault_diagnostic(fault, shape=dict(trial.dims), inputs=trial.inputs, **order)


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
    reason = reason or support(case)
    for trial in case.permuted:
        reason = reason or (f"{trial.title}: {why}" if (why := gap(trial)) else "")
    return replace(unknown(NAME, reason, coverage=coverage), diagnostics=diagnostics) if reason else result
