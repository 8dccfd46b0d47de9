"""`sass_of_source` and `sass_of_problem`: what the machine code of kernels says, and the time that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from warpgauge.arch import CHIPS, Chip, Demand, occupancy
from warpgauge.build import compile_source
from warpgauge.candidate import Candidate, PlannedLaunch, find_candidates, load_candidate
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.evidence import BuildArtifact, Execution, KernelResources, Location, MachineCode, PredictedTime
from warpgauge.problem import Problem, load_problem
from warpgauge.ptx import locate, parsed
from warpgauge.sass import Costs, Machine, costs_of, machine_code, parts_of, passes, predict, tensor_path
from warpgauge.vgpu import Budget

from .givens import Givens
from .launch_facts import named_chip
from .sampling import sampling_of
from .trials import Bench, Planned, not_runnable, plan_trials, run_trial

#: Blocks of each launch that are executed to count how often loops turn.
BLOCKS = 64


@dataclass(frozen=True)
class KernelCode:
    """One kernel. `time` is there where a launch of it was executed; `no_time` says why not.

    `blocks_per_sm` and `warps_of_block` (per scheduler) are resident in that launch, one block else.
    """

    code: MachineCode
    resources: KernelResources | None
    time: PredictedTime | None = None
    no_time: str = ""
    blocks_per_sm: int = 1
    warps_of_block: float = 1.0


@dataclass(frozen=True)
class SassReport:
    """All kernels of a source, or those that a candidate launches. `tensor` says in words which tensor path is used
    and which the architecture has; `shape` is the one that was executed."""

    source: str
    arch: str
    chip: str
    kernels: tuple[KernelCode, ...]
    tensor: str
    shape: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def clock_hz(self) -> float:
        """The chip's clock; 0 without a chip."""
        return CHIPS[self.chip].clock_hz if self.chip else 0.0


@dataclass(frozen=True)
class _Compiled:
    """A build, the user's line of each of its PTX lines, and what it is meant to run on."""

    build: BuildArtifact
    machine: Machine
    lines: Callable[[int], Location]

    @classmethod
    def of(cls, build: BuildArtifact, machine: Machine) -> _Compiled:
        module = parsed(build.ptx)
        kernels = (*module.kernels.values(), *module.functions.values())
        places = {i.ptx_line: locate(module, i, build.sources)[0] for kernel in kernels for i in kernel.instructions}
        return cls(build, machine, lambda line: places.get(line, Location("", 0)))

    def code(self, entry: str, costs: Costs | None = None) -> MachineCode:
        build = self.build
        found = machine_code(
            build.sass, build.cubin, build.lowered[entry], self.machine, self.lines, entry=entry, costs=costs
        )
        if found is None:
            raise WarpgaugeError(Diagnostic("PRB903", "error", f"{entry}: the build has no machine code of it"))
        return found


def sass_of_source(source: Path, *, entry: str | None = None, arch: str = "sm_90") -> SassReport:
    """Every kernel of a source, or one. WarpgaugeError: what compiling raises."""
    build = compile_source(source, arch=arch, entries=[entry] if entry else ())
    compiled = _Compiled.of(build, _machine(arch))
    why = "no launch: a problem has one"
    kernels = tuple(
        KernelCode(compiled.code(name), build.resources.get(symbol), no_time=why)
        for name, symbol in build.lowered.items()
    )
    return SassReport(str(source), arch, "", kernels, tensor_path([k.code for k in kernels], arch), {}, build.sources)


def sass_of_problem(
    problem_path: Path, candidate_path: Path | None = None, *, entry: str | None = None, arch: str | None = None
) -> SassReport:
    """The kernels that a candidate launches on the judged shape, some blocks of which are executed.

    WarpgaugeError for files, builds and inputs that cannot be, PRB903 where no launch has `entry`.
    """
    problem = load_problem(problem_path)
    paths = [candidate_path] if candidate_path else find_candidates(problem.folder)
    candidate = load_candidate(paths[0])
    target = arch or problem.arch
    planned = plan_trials(problem, candidate, arch=target, mode="count", small=False, harder=())[0]
    sampling = sampling_of(min(BLOCKS, problem.execution.sample_blocks or BLOCKS), [planned.launches])
    planned = Planned("judge", planned.dims, "declared", "count", planned.launches, sampling)
    launches = {launch.entry: launch for launch in reversed(planned.launches) if entry in (None, launch.entry)}
    if not launches:
        known = ", ".join(dict.fromkeys(launch.entry for launch in planned.launches))
        raise WarpgaugeError(Diagnostic("PRB903", "error", f"no launch of {entry!r}; there are {known}"))
    build = compile_source(
        candidate.source,
        arch=target,
        entries=tuple(dict.fromkeys(launch.entry for launch in planned.launches)),
        defines=candidate.defines,
        include=candidate.include,
    )
    machine = _machine(target, named_chip(problem))
    compiled = _Compiled.of(build, machine)
    executions, reason = _executed(problem, candidate, planned, build)
    held = float(sum(problem.layout(name, planned.dims).bytes for name in problem.tensors))
    kernels = []
    for name, launch in sorted(launches.items(), key=lambda row: row[1].index):
        ran = executions[planned.launches.index(launch)] if not reason else None
        kernels.append(_kernel(compiled, name, launch, ran, held, reason))
    words = tensor_path([kernel.code for kernel in kernels], target)
    return SassReport(
        f"{problem.name}: {candidate.name}",
        target,
        machine.chip.name if machine.chip else "",
        tuple(kernels),
        words,
        planned.dims,
        {**problem.texts, **candidate.texts, **build.sources},
    )


def _machine(arch: str, chip: Chip | None = None) -> Machine:
    """`chip` counts where it is of this architecture. PRB901 for one that nothing is known of."""
    try:
        machine = Machine.of(arch)
    except KeyError as error:
        raise WarpgaugeError(Diagnostic("PRB901", "error", str(error.args[0]))) from None
    return Machine.of(arch, chip) if chip is not None and chip.arch == machine.arch else machine


def _executed(
    problem: Problem, candidate: Candidate, planned: Planned, build: BuildArtifact
) -> tuple[tuple[Execution, ...], str]:
    """The executions of all launches, or why there are none."""
    if reason := not_runnable(candidate, planned):
        return (), reason
    with Givens(problem) as givens:
        trial = run_trial(Bench(problem, candidate, build, givens, Budget()), planned)
    whole = len(trial.executions) == len(planned.launches) and all(e.completed for e in trial.executions)
    return (trial.executions, "") if whole else ((), trial.missing or "a launch did not run to its end")


def _kernel(
    compiled: _Compiled, entry: str, launch: PlannedLaunch, execution: Execution | None, held: float, reason: str
) -> KernelCode:
    """`held`: bytes of all tensors, which is as much as device memory has to supply."""
    build, machine = compiled.build, compiled.machine
    resources = build.resources.get(build.lowered[entry])
    if resources is None:
        return KernelCode(compiled.code(entry), None, no_time="ptxas reported no resources")
    found = occupancy(machine.limit, Demand.of(launch, resources))
    each = found.warps_per_block / machine.limit.sub_partitions
    if execution is None or machine.chip is None or found.refused:
        code = compiled.code(entry, costs_of(execution, machine) if execution else None)
        why = reason or found.refused or "the problem names no chip of this architecture"
        return KernelCode(code, resources, None, why, max(1, found.blocks_per_sm), each)
    scale = execution.coverage.total / execution.coverage.done
    asked = 32 * scale * sum(site.sectors for site in execution.sites if site.space == "global")
    moved = min(held, asked)
    code = compiled.code(entry, costs_of(execution, machine, moved))
    turns = passes(parts_of(build.sass, build.cubin, build.lowered[entry]), execution)
    time = predict(code, turns, execution, found, machine, memory_bytes=moved)
    return KernelCode(code, resources, time, "", time.blocks_per_sm, each)
