"""`evaluate`: one candidate of one problem, from source to verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from warpgauge.build import compile_source
from warpgauge.candidate import Candidate
from warpgauge.contracts import Case, ContractResult, Trial, Verdict, judge
from warpgauge.contracts.case import Inputs
from warpgauge.contracts.table import CONTRACTS, Evidence
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.diagnostics.faults import unsupported_diagnostic
from warpgauge.evidence import BuildArtifact, Coverage, Provenance
from warpgauge.problem import Problem
from warpgauge.problem.inputs import variants
from warpgauge.vgpu import Budget

from .givens import Givens
from .notes import target_words, undecided, untested_edges
from .record import Evaluation, Run
from .selection import needed, selected
from .trials import Planned, plan_trials, run_trial

ALL_WITHOUT_A_DEVICE: frozenset[Evidence] = frozenset({"build", "virtual"})

# Codes that say the source is at fault: a candidate that does not compile FAILs, a file that is malformed is an error.
_SOURCE_CODES = frozenset({"SRC801", "SRC803"})


@dataclass
class _Progress:
    """What has been gathered so far."""

    problem: Problem
    candidate: Candidate
    names: tuple[str, ...]
    missing: dict[str, str]
    build: BuildArtifact | None = None
    entries: tuple[str, ...] = ()
    trials: list[Trial] = field(default_factory=list)

    def case(self) -> Case:
        return Case(
            build=self.build,
            entries=self.entries,
            trials=tuple(self.trials),
            missing=self.missing,
            rel_l2=self.problem.tolerance.rel_l2,
            asked_target=target_words(self.problem),
        )

    def rows(self) -> tuple[ContractResult, ...]:
        case = self.case()
        return tuple(judge(name, case, self.problem.contract(CONTRACTS[name].settings)) for name in self.names)

    def failed(self) -> bool:
        return any(row.binds and row.verdict is Verdict.FAIL for row in self.rows())


def _mode(names: Iterable[str]) -> str:
    """The cheapest execution that the contracts can be judged by."""
    if "safety" in names:
        return "shadow"
    return "count" if {"memory_access", "bank_conflicts"} & set(names) else "run"


def _planned(progress: _Progress, arch: str) -> tuple[Planned, ...]:
    names = progress.names
    harder: tuple[Inputs, ...] = variants(progress.problem)[1:] if "numerics" in names else ()
    small = bool({"numerics", "safety"} & set(names))
    return plan_trials(progress.problem, progress.candidate, arch=arch, mode=_mode(names), small=small, harder=harder)


def _run(progress: _Progress, planned: Sequence[Planned], givens: Givens, budget: Budget, stop_on_fail: bool) -> None:
    """Runs the trials in order; what is left after a stop keeps the reason why it was not run."""
    assert progress.build is not None
    stopped = ""
    for trial in planned:
        if stopped:
            progress.trials.append(trial.without(stopped))
            continue
        done = run_trial(progress.problem, progress.candidate, progress.build, trial, givens, budget)
        progress.trials.append(done)
        if done.missing:
            # What stopped one shape (a spin, an unsupported instruction) would stop the next and cost its time again.
            stopped = done.missing
        elif stop_on_fail and progress.failed():
            stopped = "not run: a binding contract had failed before"


def _findings(progress: _Progress, rows: Sequence[ContractResult]) -> tuple[Diagnostic, ...]:
    """Every finding once: what stopped an execution, what the contracts found, then notes."""
    stops = [
        unsupported_diagnostic(unsupported)
        for trial in progress.trials
        for execution in trial.executions
        for unsupported in execution.unsupported
        if unsupported.reached
    ]
    found = [*stops, *(d for row in rows for d in row.diagnostics), *undecided(rows)]
    if progress.trials:
        found += untested_edges(progress.problem)
    return tuple(d for index, d in enumerate(found) if d not in found[:index])


def _unbuilt(progress: _Progress, error: WarpgaugeError) -> Evaluation:
    """A source that does not compile: a binding FAIL of its own row; nothing else can be judged."""
    errors = tuple(error.diagnostics)
    build = ContractResult(
        "build",
        Verdict.FAIL,
        measured=len(errors),
        asked=0,
        unit="errors",
        provenance=Provenance("quoted", "compiler"),
        coverage=Coverage(1, 1, "builds"),
        diagnostics=errors,
    )
    progress.missing |= dict.fromkeys(("build", "virtual"), "the candidate does not compile")
    rows = progress.rows()
    found = (*errors, *undecided(rows))
    return Evaluation(progress.problem.name, progress.candidate.name, (build, *rows), found)


def evaluate(
    problem: Problem,
    candidate: Candidate,
    *,
    evidence: Collection[Evidence] = ALL_WITHOUT_A_DEVICE,
    stop_on_fail: bool = False,
    device: str | None = None,
    budget: Budget | None = None,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    arch: str | None = None,
    givens: Givens | None = None,
) -> Evaluation:
    """Builds, executes and judges one candidate.

    `evidence` limits what may be gathered (a contract without its evidence is UNKNOWN), `only` and `skip` choose
    contracts, `arch` overrides the problem's, `budget` the limits of each execution (default: the problem's seconds
    without progress), `givens` shares inputs and references between candidates. `stop_on_fail` leaves the remaining
    shapes out once a binding contract has failed. A candidate that does not compile FAILs; one that is malformed, or
    does not fit its problem, gives an evaluation that is `unusable` and carries the errors. Raises WarpgaugeError
    PRB901 for an unknown contract in `only` or `skip`.
    """
    names = selected(problem, only, skip)
    kinds = needed(problem, names)
    missing: dict[str, str] = {
        kind: f"{kind} evidence was not asked for" for kind in ALL_WITHOUT_A_DEVICE - frozenset(evidence)
    }
    missing["device"] = "timing on a device is not built yet" if device else "no device was given"
    progress = _Progress(problem, candidate, names, missing)
    target_arch = arch or problem.arch
    if "build" not in kinds or "build" not in evidence:
        if "build" in missing:
            missing["virtual"] = missing["build"]
        return _finished(progress)
    try:
        planned = _planned(progress, target_arch)
        progress.entries = tuple(dict.fromkeys(launch.entry for trial in planned for launch in trial.launches))
        progress.build = compile_source(
            candidate.source,
            arch=target_arch,
            entries=progress.entries,
            defines=candidate.defines,
            include=candidate.include,
        )
        if "virtual" in kinds and "virtual" in evidence:
            limits = budget or Budget(no_progress_seconds=problem.contract("safety").thresholds["no_progress_seconds"])
            _run(progress, planned, givens or Givens(problem), limits, stop_on_fail)
    except WarpgaugeError as error:
        if progress.build is None and all(d.code in _SOURCE_CODES for d in error.diagnostics):
            return _unbuilt(progress, error)
        return Evaluation(problem.name, candidate.name, diagnostics=tuple(error.diagnostics), unusable=True)
    return _finished(progress)


def _finished(progress: _Progress) -> Evaluation:
    rows = progress.rows()
    build = progress.build
    return Evaluation(
        progress.problem.name,
        progress.candidate.name,
        rows,
        _findings(progress, rows),
        tuple(Run.of(e, t.dims, t.role, t.inputs) for t in progress.trials for e in t.executions),
        tuple(build.resources.values()) if build else (),
        sources=build.sources if build else {},
    )
