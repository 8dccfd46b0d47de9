"""One candidate on one shape with one kind of inputs: plan, fill memory, execute every launch, compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from warpgauge.candidate import Candidate, PlannedLaunch, plan, scope, workspace_layout
from warpgauge.candidate.room import check_room
from warpgauge.contracts import Trial
from warpgauge.contracts.case import Inputs, Role
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.problem import DTYPES, Problem
from warpgauge.problem.compare import Comparison, compare
from warpgauge.problem.dtypes import Array
from warpgauge.problem.inputs import poisoned_outputs
from warpgauge.problem.place import fail
from warpgauge.problem.reference import Reference
from warpgauge.vgpu import Budget, GlobalMemory, Order, Watched

from .constants import constant_values
from .givens import Given, Givens
from .launches import Mode, not_executed, run_launches
from .sampling import Sampling, refused, sampling_of, settled, ties, written_elements


@dataclass(frozen=True)
class Planned:
    """A trial before it runs: which shape, which inputs, in which mode, and the launches that apply.

    `sampling` is the same for all trials of an evaluation; only judged shapes are sampled.
    """

    role: Role
    dims: Mapping[str, int]
    inputs: Inputs
    mode: Mode
    launches: tuple[PlannedLaunch, ...]
    sampling: Sampling | None = None
    again: bool = False  # the second call, on workspaces as the first one left them

    @property
    def sampled(self) -> bool:
        """Whether only some blocks of some launch are to run; the small shapes always run whole."""
        if self.sampling is None or self.role != "judge":
            return False
        return any(launch.blocks > self.sampling.most for launch in self.launches)

    def without(self, reason: str) -> Trial:
        """The trial that was not run, and why."""
        return Trial(self.role, self.dims, self.inputs, missing=reason, sampled=self.sampled, again=self.again)


def plan_trials(
    problem: Problem, candidate: Candidate, *, arch: str, mode: Mode, small: bool, harder: Sequence[Inputs]
) -> tuple[Planned, ...]:
    """The judged shapes, the small ones if `small`, then the `harder` inputs on the first judged shape.

    A candidate that keeps a workspace from call to call is also called twice, on its smallest shape.
    Harder inputs change values, not accesses, so they run without counting. A sample needs the small shapes beside it,
    and full checking everywhere, to show that it is sound. WarpgaugeError as `candidate.plan` raises.
    """
    judged = [plan(candidate, problem, dims, arch=arch) for dims in problem.dims_of("judge")]
    sampling = sampling_of(problem.execution.sample_blocks, judged)
    roles: tuple[Role, ...] = ("judge", "small") if small or sampling else ("judge",)
    lighter: Mode = "shadow" if sampling else "run"
    mode = "shadow" if sampling else mode
    planned = []
    for role in roles:
        for dims in problem.dims_of(role):
            launches = plan(candidate, problem, dims, arch=arch)
            _check_room(problem, candidate, dims)
            planned.append(Planned(role, dims, "declared", mode, launches, sampling))
    first = planned[0]
    if any(table.reset == "once" for table in candidate.workspace.values()):
        whole = [p for p in planned if not p.sampled]
        smallest = min(whole, key=lambda p: sum(launch.blocks * launch.threads for launch in p.launches), default=None)
        planned += [replace(smallest, again=True)] if smallest else []
    return (*planned, *(Planned("judge", first.dims, inputs, lighter, first.launches, sampling) for inputs in harder))


def _check_room(problem: Problem, candidate: Candidate, dims: Mapping[str, int]) -> None:
    """PRB904 where a workspace is larger than any device, or all buffers together are too much for this machine."""
    names = scope(candidate, problem, dims)
    workspaces = sum(workspace_layout(names, name).bytes for name in candidate.workspace)
    tensors = sum(problem.layout(name, dims).bytes for name in problem.tensors)
    where = candidate.place("workspace") if workspaces > tensors else problem.place("tensors")
    check_room(workspaces + tensors, where)


def not_runnable(candidate: Candidate, planned: Planned) -> str:
    """Why a trial cannot be executed; empty if it can."""
    if planned.sampled and planned.sampling and (reason := refused(planned.launches, planned.sampling)):
        return reason
    return not_executed(planned.launches)


def fill(
    memory: GlobalMemory,
    problem: Problem,
    candidate: Candidate,
    dims: Mapping[str, int],
    given: Given,
    kept: Mapping[str, Array] = MappingProxyType({}),
) -> dict[str, int]:
    """Adds every tensor and workspace to `memory` and returns their addresses.

    Inputs may not be written. Outputs are poisoned and count as uninitialised, and so do the gaps that a layout leaves
    between elements; workspaces are reset to zeros, as before a call on a device, but for those that are `kept`.
    """
    addresses = {}
    for name, array in {**given.inputs, **poisoned_outputs(problem, dims)}.items():
        tensor, places = problem.tensors[name], problem.layout(name, dims).places
        addresses[name] = memory.add(
            name, array, initialised=tensor.is_read, writable=tensor.is_written, elements=places
        )
    names = scope(candidate, problem, dims)
    for name in candidate.workspace:
        layout = workspace_layout(names, name)
        content = kept[name] if name in kept else np.zeros(layout.size, DTYPES[layout.dtype].storage)
        addresses[name] = memory.add(name, content)
    return addresses


@dataclass(frozen=True)
class Bench:
    """What all executions of one candidate have in common.

    `threads`: on how many threads of this machine, None for as many as help. What a kernel computes whose blocks race
    is only the same in every run on one.
    """

    problem: Problem
    candidate: Candidate
    build: BuildArtifact
    givens: Givens
    budget: Budget
    threads: int | None = None


def execute_plan(
    bench: Bench,
    planned: Planned,
    given: Given,
    *,
    order: Order | None = None,
    watch: Watched | None = None,
    kept: Mapping[str, Array] = MappingProxyType({}),
) -> tuple[tuple[Execution, ...], GlobalMemory]:
    """Executes a plan on fresh memory, which is returned as the launches left it. PRB904 where memory runs out.

    `kept`: workspaces that an earlier call left, by name.
    """
    problem, candidate, build = bench.problem, bench.candidate, bench.build
    try:
        memory = GlobalMemory()
        addresses = fill(memory, problem, candidate, planned.dims, given, kept)
        executions = run_launches(
            build,
            planned.launches,
            memory,
            addresses,
            mode=planned.mode,
            budget=bench.budget,
            order=order,
            watch=watch,
            threads=bench.threads,
            sampling=planned.sampling if planned.sampled else None,
            footprint=planned.sampling is not None and planned.mode == "shadow",
            constants=constant_values(build, scope(candidate, problem, planned.dims)),
        )
    except MemoryError:
        raise fail(
            "PRB904", "this machine has too little memory left for these shapes", problem.place("dims")
        ) from None
    return executions, memory


def unfinished(planned: Planned, executions: Sequence[Execution]) -> str:
    """Why not every launch of a plan ran to its end; empty where all did."""
    last = executions[-1]
    whole = len(executions) == len(planned.launches) and last.completed
    return "" if whole else f"{last.kernel} did not run to its end: {last.stopped or 'stopped early'}"


def run_trial(bench: Bench, planned: Planned) -> Trial:
    """Executes one trial on fresh memory. WarpgaugeError for inputs, arguments or references that cannot be made."""
    problem, candidate = bench.problem, bench.candidate
    if reason := not_runnable(candidate, planned):
        return planned.without(reason)
    given = bench.givens.of(planned.dims, planned.inputs)
    executions, memory = execute_plan(bench, planned, given)
    if planned.again and not unfinished(planned, executions):
        kept = {name: memory.read(name) for name, table in candidate.workspace.items() if table.reset == "once"}
        executions, memory = execute_plan(bench, planned, given, kept=kept)
    missing = unfinished(planned, executions)
    reason = ties(executions, planned.sampling, sampled=planned.sampled) if planned.sampling else ""
    names = given.reference.outputs
    masks = {n: _written(problem, planned, executions, n) for n in names} if planned.sampled else dict.fromkeys(names)
    if not names:
        uncompared = "the problem has no reference"
    elif missing:
        uncompared = "the outputs are not complete"
    else:
        idle = [n for n, mask in masks.items() if mask is not None and not mask.any()]
        uncompared = f"no block of the sample wrote {idle[0]}" if idle else ""
    comparisons = () if uncompared else compared(problem, given.reference, memory.read, masks)
    trial = Trial(
        planned.role, planned.dims, planned.inputs, executions, comparisons, missing, uncompared, again=planned.again
    )
    return settled(trial, reason, sampled=planned.sampled) if planned.sampling else trial


def compared(
    problem: Problem,
    reference: Reference,
    produced: Callable[[str], Array],
    masks: Mapping[str, Array | None] | None = None,
) -> tuple[Comparison, ...]:
    """Every output of a reference against the whole buffer that `produced` gives for its name, masked if asked."""
    only = masks or {}
    return tuple(compare(problem, n, produced(n), reference, only=only.get(n)) for n in reference.outputs)


def _written(problem: Problem, planned: Planned, executions: Sequence[Execution], tensor: str) -> Array:
    """Which elements of an output the executed blocks wrote, in the tensor's shape."""
    layout = problem.layout(tensor, planned.dims)
    flags = written_elements(executions, tensor, DTYPES[layout.dtype].bytes)
    return np.zeros(layout.shape, np.bool_) if flags is None else layout.view(flags)
