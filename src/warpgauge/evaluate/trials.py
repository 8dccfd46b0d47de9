"""One candidate on one shape with one kind of inputs: plan, fill memory, execute every launch, compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from warpgauge.candidate import Candidate, PlannedLaunch, plan, scope, workspace_layout
from warpgauge.candidate.room import check_room
from warpgauge.contracts import Trial
from warpgauge.contracts.case import Inputs, Role
from warpgauge.evidence import BuildArtifact
from warpgauge.problem import DTYPES, Problem
from warpgauge.problem.compare import compare
from warpgauge.problem.inputs import poisoned_outputs
from warpgauge.problem.place import fail
from warpgauge.vgpu import Budget, GlobalMemory

from .constants import constant_values
from .givens import Given, Givens
from .launches import Mode, not_executed, run_launches


@dataclass(frozen=True)
class Planned:
    """A trial before it runs: which shape, which inputs, in which mode, and the launches that apply."""

    role: Role
    dims: Mapping[str, int]
    inputs: Inputs
    mode: Mode
    launches: tuple[PlannedLaunch, ...]

    def without(self, reason: str) -> Trial:
        """The trial that was not run, and why."""
        return Trial(self.role, self.dims, self.inputs, missing=reason)


def plan_trials(
    problem: Problem, candidate: Candidate, *, arch: str, mode: Mode, small: bool, harder: Sequence[Inputs]
) -> tuple[Planned, ...]:
    """The judged shapes, the small ones if `small`, then the `harder` inputs on the first judged shape.

    Harder inputs change values, not accesses, so they run without counting. WarpgaugeError as `candidate.plan` raises.
    """
    roles: tuple[Role, ...] = ("judge", "small") if small else ("judge",)
    planned = []
    for role in roles:
        for dims in problem.dims_of(role):
            launches = plan(candidate, problem, dims, arch=arch)
            _check_room(problem, candidate, dims)
            planned.append(Planned(role, dims, "declared", mode, launches))
    first = planned[0]
    return (*planned, *(Planned("judge", first.dims, inputs, "run", first.launches) for inputs in harder))


def _check_room(problem: Problem, candidate: Candidate, dims: Mapping[str, int]) -> None:
    """PRB904 where a workspace is larger than any device, or all buffers together are too much for this machine."""
    names = scope(candidate, problem, dims)
    workspaces = sum(workspace_layout(names, name).bytes for name in candidate.workspace)
    tensors = sum(problem.layout(name, dims).bytes for name in problem.tensors)
    where = candidate.place("workspace") if workspaces > tensors else problem.place("tensors")
    check_room(workspaces + tensors, where)


def not_runnable(candidate: Candidate, planned: Planned) -> str:
    """Why a trial cannot be executed; empty if it can."""
    return not_executed(planned.launches)


def fill(
    memory: GlobalMemory, problem: Problem, candidate: Candidate, dims: Mapping[str, int], given: Given
) -> dict[str, int]:
    """Adds every tensor and workspace to `memory` and returns their addresses.

    Inputs may not be written. Outputs are poisoned and count as uninitialised; workspaces are reset to zeros, as before
    a call on a device.
    """
    addresses = {
        name: memory.add(name, array, writable=problem.tensors[name].is_written) for name, array in given.inputs.items()
    }
    for name, array in poisoned_outputs(problem, dims).items():
        addresses[name] = memory.add(name, array, initialised=False)
    names = scope(candidate, problem, dims)
    for name in candidate.workspace:
        layout = workspace_layout(names, name)
        addresses[name] = memory.add(name, np.zeros(layout.size, DTYPES[layout.dtype].storage))
    return addresses


def run_trial(
    problem: Problem, candidate: Candidate, build: BuildArtifact, planned: Planned, givens: Givens, budget: Budget
) -> Trial:
    """Executes one trial on fresh memory. WarpgaugeError for inputs, arguments or references that cannot be made."""
    if reason := not_runnable(candidate, planned):
        return planned.without(reason)
    try:
        given = givens.of(planned.dims, planned.inputs)
        memory = GlobalMemory()
        addresses = fill(memory, problem, candidate, planned.dims, given)
        constants = constant_values(build, scope(candidate, problem, planned.dims))
        executions = run_launches(
            build, planned.launches, memory, addresses, mode=planned.mode, budget=budget, constants=constants
        )
    except MemoryError:
        raise fail(
            "PRB904", "this machine has too little memory left for these shapes", problem.place("dims")
        ) from None
    whole = len(executions) == len(planned.launches) and executions[-1].completed
    last = executions[-1]
    missing = "" if whole else f"{last.kernel} did not run to its end: {last.stopped or 'stopped early'}"
    if not given.reference.outputs:
        uncompared = "the problem has no reference"
    else:
        uncompared = "" if whole else "the outputs are not complete"
    comparisons = (
        ()
        if uncompared
        else tuple(compare(problem, name, memory.read(name), given.reference) for name in given.reference.outputs)
    )
    return Trial(planned.role, planned.dims, planned.inputs, executions, comparisons, missing, uncompared)
