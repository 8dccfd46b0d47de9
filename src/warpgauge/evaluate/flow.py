"""`evaluate`: one candidate of one problem, from source to verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from warpgauge.build import compile_source, source_files
from warpgauge.candidate import Candidate
from warpgauge.contracts import Case, ContractResult, Trial, Verdict, determinism_of, judge
from warpgauge.contracts.case import Inputs, LaunchShape, LayoutClue, Reordered
from warpgauge.contracts.table import Evidence
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.diagnostics.codes import code_row
from warpgauge.diagnostics.faults import unsupported_diagnostic
from warpgauge.evidence import BuildArtifact, Coverage, Parallelism, Provenance
from warpgauge.problem import Problem
from warpgauge.problem.inputs import variants
from warpgauge.problem.settings import ContractSettings
from warpgauge.vgpu import Budget

from .givens import Givens
from .launch_facts import judged_launches, named_chip, warp_parallelism
from .layouts import layout_clue
from .needs import needs_of
from .notes import target_words, undecided, untested_edges
from .orders import chosen, reorder
from .record import Evaluation, Run
from .resources import KernelUse, kernel_uses
from .reviewing import reviewed
from .seed import input_seed
from .selection import needed, own_contracts, own_texts, selected
from .silencing import Silencing
from .tensor_cores import without_tensor_cores
from .trials import Bench, Planned, not_runnable, plan_trials, run_trial

ALL_WITHOUT_A_DEVICE: frozenset[Evidence] = frozenset({"build", "virtual"})

# Device code that does not compile FAILs, and so does code whose meaning hangs on how the compiler numbers registers.
# A file that is malformed, or a whole program instead of kernels, is an error.
_SOURCE_CODES = frozenset({"SRC801", "SRC804"})


@dataclass
class _Progress:
    """What has been gathered so far."""

    problem: Problem
    candidate: Candidate
    names: tuple[str, ...]
    missing: dict[str, str]
    silencing: Silencing
    only: frozenset[str] = frozenset()
    build: BuildArtifact | None = None
    entries: tuple[str, ...] = ()
    launches: tuple[LaunchShape, ...] = ()
    resources: tuple[KernelUse, ...] = ()
    parallelism: Mapping[str, Parallelism] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    reordered: list[Reordered] = field(default_factory=list)
    not_reordered: str = ""
    layout_clue: LayoutClue | None = None
    seed: int = 0
    sources: Mapping[str, str] = field(default_factory=dict)
    review: tuple[Diagnostic, ...] = ()

    def case(self) -> Case:
        return Case(
            build=self.build,
            entries=self.entries,
            trials=tuple(self.trials),
            missing=self.missing,
            rel_l2=self.problem.tolerance.rel_l2,
            asked_target=target_words(self.problem),
            launches=self.launches,
            parallelism=self.parallelism,
            chip=named_chip(self.problem),
            reordered=tuple(self.reordered),
            not_reordered=self.not_reordered,
            layout_clue=self.layout_clue,
        )

    def rows(self, names: Iterable[str] | None = None) -> tuple[ContractResult, ...]:
        case = self.case()
        rows = [judge(name, case, self._settings(name)) for name in (self.names if names is None else names)]
        sources = self.build.sources if self.build else {}
        return self.silencing.rows(rows, sources, self.problem.name, self.candidate.name)

    def _settings(self, name: str) -> ContractSettings:
        """What is asked of a contract: one that the caller names counts, also where the problem lets it only advise."""
        settings = self.problem.contract(name)
        return replace(settings, binds=True) if name in self.only else settings

    def blocks_race(self) -> bool:
        """Whether a race in global memory was found: then outputs hang on the order in which blocks run."""
        return any(f.code == "SAF602" for t in self.trials for e in t.executions for f in e.faults)

    def bench(self, givens: Givens, budget: Budget) -> Bench:
        """What trials are run on from here: with one thread once blocks were found to race."""
        assert self.build is not None
        return Bench(self.problem, self.candidate, self.build, givens, budget, 1 if self.blocks_race() else None)

    def failed(self) -> bool:
        # The problem's own contracts judge once, when all evidence is there.
        own = own_contracts(self.problem, self.names)
        rows = self.rows(name for name in self.names if name not in own)
        return any(row.binds and row.verdict is Verdict.FAIL for row in rows)


def _mode(names: Collection[str], own: Collection[str]) -> str:
    """The cheapest execution that the contracts can be judged by; the problem's own may ask for anything."""
    if "safety" in names or own:
        return "shadow"
    return "count" if {"memory_access", "bank_conflicts", "occupancy"} & set(names) else "run"


def _planned(progress: _Progress, arch: str) -> tuple[Planned, ...]:
    names, own = progress.names, own_contracts(progress.problem, progress.names)
    harder: tuple[Inputs, ...] = variants(progress.problem)[1:] if "numerics" in names or own else ()
    small = bool({"numerics", "safety"} & set(names)) or bool(own)
    mode = _mode(names, own)
    return plan_trials(progress.problem, progress.candidate, arch=arch, mode=mode, small=small, harder=harder)


def _run(progress: _Progress, planned: Sequence[Planned], givens: Givens, budget: Budget, stop_on_fail: bool) -> None:
    """Runs the trials in order; what is left after a stop keeps the reason why it was not run."""
    stopped = sample_stopped = ""
    for trial in planned:
        if reason := stopped or (sample_stopped if trial.sampled else ""):
            progress.trials.append(trial.without(reason))
            continue
        done = run_trial(progress.bench(givens, budget), trial)
        progress.trials.append(done)
        if done.missing and trial.sampled:
            # It may wait for a block that is not in the sample: the small shapes, which are whole, can still run.
            sample_stopped = done.missing
        elif done.missing:
            # What stopped one shape (a spin, an unsupported instruction) would stop the next and cost its time again.
            stopped = done.missing
        elif stop_on_fail and progress.failed():
            stopped = "not run: a binding contract had failed before"
    bench = progress.bench(givens, budget)
    _permute(progress, bench, planned, stopped)
    if "numerics" in progress.names:
        progress.layout_clue = layout_clue(bench, list(zip(planned, progress.trials, strict=True)))


def _permute(progress: _Progress, bench: Bench, planned: Sequence[Planned], stopped: str) -> None:
    """Some trials again under permuted orders, where what these show is asked for."""
    if not {"numerics", "safety"} & set(progress.names):
        progress.not_reordered = "neither numerics nor safety is asked for"
        return
    again, progress.not_reordered = ((), stopped) if stopped else chosen(planned, progress.trials)
    for trial in again:
        progress.reordered.append(reorder(bench, trial))


def _gather(progress: _Progress, arch: str, budget: Budget | None, stop_on_fail: bool) -> None:
    """Plans, builds and, within a budget, executes; what has been gathered so far is in `progress` even on an error."""
    problem, candidate = progress.problem, progress.candidate
    planned = _planned(progress, arch)
    progress.entries = tuple(dict.fromkeys(launch.entry for trial in planned for launch in trial.launches))
    progress.launches = judged_launches(planned)
    files = source_files(candidate.source, defines=candidate.defines, include=candidate.include).files
    progress.seed = input_seed(problem, candidate, files)
    with Givens(problem, progress.seed) as givens:
        if budget:
            # Inputs and references need no kernel: they are made while it compiles and executes.
            givens.prepare([(t.dims, t.inputs) for t in planned if not not_runnable(candidate, t)])
        progress.build = compile_source(
            candidate.source,
            arch=arch,
            entries=progress.entries,
            defines=candidate.defines,
            include=candidate.include,
            # Only counts need the machine code: which accesses were made wider, or dropped.
            sass=budget is not None and any(trial.mode != "run" for trial in planned),
        )
        progress.resources = kernel_uses(progress.build, planned)
        progress.parallelism = warp_parallelism(progress.build, progress.entries)
        if progress.build.sass and not progress.only:
            progress.review = reviewed(problem, candidate, progress.build, planned)
        if budget:
            _run(progress, planned, givens, budget, stop_on_fail)


def _findings(
    progress: _Progress, rows: Sequence[ContractResult], review: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Every finding once, causes before consequences; those of one rank in the order of the contracts, then the review,
    notes last."""
    stops = [
        unsupported_diagnostic(unsupported)
        for trial in progress.trials
        for execution in trial.executions
        for unsupported in execution.unsupported
        if unsupported.reached
    ]
    found = [*stops, *(d for row in rows for d in row.diagnostics), *undecided(rows, progress.problem)]
    if progress.trials:
        found += untested_edges(progress.problem)
    found += without_tensor_cores(progress.problem, progress.parallelism)
    found += review
    if progress.build:
        found += progress.silencing.warnings(progress.build.sources)
    once = [d for index, d in enumerate(found) if d not in found[:index]]
    return tuple(sorted(once, key=lambda d: code_row(d.code).rank))


def _unbuilt(progress: _Progress, error: WarpgaugeError) -> Evaluation:
    """A source that does not compile: a binding FAIL of its own row; nothing else can be judged."""
    progress.sources = {**progress.sources, **error.sources}
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
    found = (*errors, *undecided(rows, progress.problem))
    return Evaluation(
        progress.problem.name,
        progress.candidate.name,
        (build, *rows),
        found,
        sources=progress.sources,
        seed=progress.seed,
    )


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
    silencing: Silencing | None = None,
) -> Evaluation:
    """Builds, executes and judges one candidate.

    `evidence` limits what may be gathered (a contract without its evidence is UNKNOWN). `only` and `skip` choose
    contracts, and those that `only` names bind. `arch` overrides the problem's, `budget` the limits of each execution
    (default: the problem's seconds without progress). `stop_on_fail` leaves the remaining shapes out once a binding
    contract has failed. Random inputs follow from the candidate, see `seed`. `silencing` says what may silence findings
    (default: comments in the source). A candidate that does not compile FAILs; one that is malformed, or does not fit
    its problem, gives an evaluation that is `unusable` and carries the errors. Raises WarpgaugeError PRB901 for an
    unknown contract in `only` or `skip`, and where they leave none.
    """
    names = selected(problem, only, skip)
    kinds = needed(problem, names)
    missing: dict[str, str] = {
        kind: f"{kind} evidence was not asked for" for kind in ALL_WITHOUT_A_DEVICE - frozenset(evidence)
    }
    missing["device"] = "timing on a device is not built yet" if device else "no device was given"
    sources = {**problem.texts, **candidate.texts, **own_texts(problem, names)}
    named = frozenset(names) if only else frozenset()
    progress = _Progress(problem, candidate, names, missing, silencing or Silencing(), named, sources=sources)
    if "build" not in kinds or "build" not in evidence:
        if "build" in missing:
            missing["virtual"] = missing["build"]
        return _finished(progress)
    limits = budget or Budget(no_progress_seconds=problem.contract("safety").thresholds["no_progress_seconds"])
    execute = "virtual" in kinds and "virtual" in evidence
    try:
        _gather(progress, arch or problem.arch, limits if execute else None, stop_on_fail)
    except WarpgaugeError as error:
        if progress.build is None and all(d.code in _SOURCE_CODES for d in error.diagnostics):
            return _unbuilt(progress, error)
        found = tuple(error.diagnostics)
        sources |= error.sources
        return Evaluation(problem.name, candidate.name, diagnostics=found, unusable=True, sources=sources)
    return _finished(progress)


def _finished(progress: _Progress) -> Evaluation:
    rows = progress.rows()
    build = progress.build
    problem, candidate = progress.problem.name, progress.candidate.name
    sources = build.sources if build else {}
    review, silenced = progress.silencing.findings(progress.review, sources, problem, candidate)
    return Evaluation(
        problem,
        candidate,
        rows,
        _findings(progress, rows, review),
        tuple(Run.of(e, t.dims, t.role, t.inputs) for t in progress.trials for e in t.executions),
        progress.resources,
        needs=needs_of(build, progress.entries, progress.launches) if build else None,
        sources={**progress.sources, **sources},
        seed=progress.seed,
        determinism=determinism_of(progress.case()),
        review=review,
        review_silenced=silenced,
    )
