"""Numerics: outputs against a float64 reference, on declared, large and cancelling inputs.

What must hold: every element written and no NaN or infinity that the reference does not have, on all inputs; the
relative L2 error within the tolerance on declared and large inputs; every element within the problem's own abs and rel
on declared inputs, whose magnitudes they are chosen for; and every element within its derived bound wherever there is
one. A sum that cancels has no small relative error even when every operation is right, so relative L2 says nothing
about cancelling inputs and the bound alone judges them.

Where an output is wrong and one other layout of one tensor would make it right, NUM507 names that layout beside what is
wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Coverage, Provenance
from warpgauge.problem.compare import Comparison, Finding

from . import determinism
from .case import Case, Trial, gap, support
from .layout_clue import diagnose
from .result import ContractResult, Verdict, unknown

NAME = "numerics"

# code, attribute of Comparison, what is wrong with the elements, what to change
_DEFECTS = (
    (
        "NUM505",
        "unwritten",
        "were never written",
        "check the grid and the bounds test before the store: every output element needs a thread that stores it",
    ),
    (
        "NUM503",
        "nan",
        "are NaN where the reference is not",
        "look for 0/0, inf - inf, a root or logarithm of a negative number, or a read of memory nobody wrote",
    ),
    (
        "NUM504",
        "inf",
        "are not finite where the reference is, or finite where it is not",
        "look for an intermediate that overflows its type (an f16 accumulator, an exponential without its maximum "
        "subtracted)",
    ),
    (
        "NUM502",
        "over_bound",
        "lie outside their derived error bound",
        "look for terms that are skipped or added twice, for indices that are off at an edge, and for a type narrower "
        "than the problem's accumulation type",
    ),
    (
        "NUM502",
        "over_tolerance",
        "miss the problem's abs and rel tolerance",
        "look for terms that are skipped or added twice, and for a type narrower than the result needs",
    ),
)
_L2_HELP = (
    "check that the reduction covers its whole length (a dropped last tile), that edges are masked with the neutral "
    "element, and that sums are kept in a type wide enough"
)
_FRAGMENT_HELP = (
    "; if most elements are wrong, check which lane holds what: ldmatrix takes the rows of matrix q from lanes 8 q to "
    "8 q + 7, mma m16n8k16 wants of A first rows 0-7, then rows 8-15, then both eight columns on, and B that is stored "
    "row by row (k by n) needs ldmatrix with .trans"
)


@dataclass(frozen=True)
class _Defect:
    """One way in which one tensor is wrong in one trial."""

    diagnostic: Diagnostic
    tensor: str
    trial: Trial


def _element(index: tuple[int, ...] | None) -> str:
    return f"[{', '.join(str(i) for i in index)}]" if index is not None else "?"


def _evidence(trial: Trial, comparison: Comparison, finding: Finding) -> dict[str, Any]:
    return {
        "tensor": comparison.tensor,
        "shape": dict(trial.dims),
        "inputs": trial.inputs,
        "elements": comparison.elements,
        "count": finding.count,
        "index": list(finding.index) if finding.index is not None else None,
        "produced": finding.produced,
        "expected": finding.expected,
        "rel_l2": comparison.rel_l2,
        "max_abs": comparison.max_abs,
        "worst_error_over_bound": comparison.worst_ratio if comparison.over_bound is not None else None,
    }


def _defects(trial: Trial, comparison: Comparison, rel_l2: float | None) -> Iterator[_Defect]:
    tensor = comparison.tensor
    for code, attribute, what, help in _DEFECTS:
        finding: Finding | None = getattr(comparison, attribute)
        if not finding or (attribute == "over_tolerance" and trial.inputs != "declared"):
            continue
        message = f"{tensor}: {finding.count:,} of {comparison.elements:,} elements {what}, first {tensor}"
        message += f"{_element(finding.index)}"
        if attribute != "unwritten":
            message += f" = {finding.produced:.9g} where the reference is {finding.expected:.9g}"
        if attribute == "over_bound" and comparison.worst_ratio:
            message += f"; the largest error is {comparison.worst_ratio:.3g} times its bound"
        yield _Defect(
            Diagnostic(code, "error", message, help=help, evidence=_evidence(trial, comparison, finding)), tensor, trial
        )
    if rel_l2 is not None and trial.inputs != "cancellation" and comparison.rel_l2_finite > rel_l2:
        worst = comparison.worst
        message = f"{tensor}: relative L2 error {comparison.rel_l2_finite:.3g}, asked {rel_l2:g}"
        if worst:
            message += (
                f"; the worst element {tensor}{_element(worst.index)} is {worst.produced:.9g} where the reference is "
            )
            message += f"{worst.expected:.9g}"
        evidence = _evidence(trial, comparison, worst) | {"asked": rel_l2}
        yield _Defect(Diagnostic("NUM501", "error", message, help=_L2_HELP, evidence=evidence), tensor, trial)


def is_wrong(trial: Trial, comparison: Comparison, rel_l2: float | None) -> bool:
    """Whether this output breaks the contract in this trial."""
    return any(_defects(trial, comparison, rel_l2))


def is_decided(trial: Trial, comparison: Comparison, rel_l2: float | None) -> bool:
    """Whether there is a tolerance that this output can meet or miss."""
    bounded = comparison.over_bound is not None or comparison.over_tolerance is not None
    return bounded or (rel_l2 is not None and trial.inputs != "cancellation")


def _stores(case: Case) -> dict[str, Span]:
    """Where each tensor is stored: the line with the most requests, in the last launch that stores it.

    What earlier launches left (zeros, say) is not what was compared.
    """
    found: dict[str, Span] = {}
    for execution in (execution for trial in case.declared("judge") for execution in trial.executions):
        best: dict[str, int] = {}
        for site in execution.sites:
            if site.space == "global" and site.op != "load" and site.worst:
                buffer = site.worst.buffer
                if site.requests > best.get(buffer, 0):
                    best[buffer] = site.requests
                    found[buffer] = Span(site.location, label="stored here")
    return found


def _run_of(trial: Trial) -> tuple[str, tuple[tuple[str, int], ...], str, bool]:
    """What tells a trial from others, its order aside."""
    return trial.role, tuple(trial.dims.items()), trial.inputs, trial.again


def _reported(case: Case, defects: list[_Defect]) -> tuple[Diagnostic, ...]:
    """One diagnostic per code and tensor: the first trial speaks, the others are named."""
    groups: dict[tuple[str, str], list[_Defect]] = {}
    for defect in defects:
        groups.setdefault((defect.diagnostic.code, defect.tensor), []).append(defect)
    stores = _stores(case)
    fragments = _FRAGMENT_HELP if case.build and "ldmatrix" in case.build.ptx else ""
    found = []
    for (code, tensor), members in groups.items():
        first = members[0]
        # What is wrong in the order of the numbers is no news under another order.
        natural = {_run_of(member.trial) for member in members if not member.trial.order}
        news = [m for m in members if not m.trial.order or _run_of(m.trial) not in natural]
        titles = list(dict.fromkeys(member.trial.title for member in news))
        message = f"{first.diagnostic.message}, at {titles[0]}"
        message += f" (and at {'; '.join(titles[1:])})" if titles[1:] else ""
        help = first.diagnostic.help + (fragments if code in ("NUM501", "NUM502") else "")
        found.append(replace(first.diagnostic, message=message, help=help, primary=stores.get(tensor)))
    return tuple(found)


def _why_not(case: Case, asked_bits: bool) -> str:
    """Why the evidence cannot carry a PASS; empty if it can."""
    if not case.declared("judge"):
        return case.missing.get("virtual", "the judged shape was not executed")
    for trial in case.trials:
        if reason := gap(trial) or trial.uncompared:
            return f"{trial.title}: {reason}"
        if not trial.comparisons:
            return f"{trial.title}: nothing was compared with a reference"
        for comparison in trial.comparisons:
            if not is_decided(trial, comparison, case.rel_l2):
                return f"{trial.title}: no tolerance for {comparison.tensor} is given and none can be derived"
    if reason := support(case):
        return reason
    for trial in case.permuted:
        if reason := gap(trial):
            return f"{trial.title}: {reason}"
    fact = determinism.determinism_of(case) if asked_bits else None
    return f"whether the result depends on the order is not known: {fact.reason}" if fact and fact.reason else ""


def _measure(case: Case) -> tuple[float, float, str]:
    """(measured, asked, unit): relative L2 where the problem asks for it, else the elements that are wrong."""
    judged = [(t, c) for t in case.trials for c in t.comparisons]
    if case.rel_l2 is not None:
        return max((c.rel_l2 for t, c in judged if t.inputs != "cancellation"), default=0.0), case.rel_l2, "rel. L2"
    counts = [
        sum(f.count for f in (c.unwritten, c.nan, c.inf))
        + max(f.count if f else 0 for f in (c.over_bound, c.over_tolerance if t.inputs == "declared" else None))
        for t, c in judged
    ]
    return sum(counts), 0, "wrong elements"


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """FAIL on any defect in any trial; PASS only if every trial ran whole and every output was compared.

    Settings: deterministic (a result that depends on the order of blocks or warps fails, and one that may, is UNKNOWN).
    """
    asked_bits = bool(settings.get("deterministic"))
    defects = [d for t in (*case.trials, *case.permuted) for c in t.comparisons for d in _defects(t, c, case.rel_l2)]
    reported = _reported(case, defects)
    clue = diagnose(case) if reported else None
    diagnostics = (*reported, *([clue] if clue else []), *determinism.findings(case, asked_bits))
    failed = any(d.severity == "error" for d in diagnostics)
    elements = sum(c.elements for t in case.declared() for c in t.comparisons)
    total = sum(c.total for t in case.declared() for c in t.comparisons)
    coverage = Coverage(elements, total, "elements")
    reason = _why_not(case, asked_bits)
    if reason and not failed:
        return unknown(NAME, reason, coverage=coverage if elements else None, diagnostics=diagnostics)
    measured, asked, unit = _measure(case)
    caveats = {e.caveat for trial in case.trials for e in trial.executions if e.caveat}
    return ContractResult(
        NAME,
        Verdict.FAIL if failed else Verdict.PASS,
        measured=measured,
        asked=asked,
        unit=unit,
        provenance=Provenance("counted", "; ".join(sorted(caveats))),
        coverage=coverage,
        diagnostics=diagnostics,
    )
