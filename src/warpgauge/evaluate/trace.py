"""`trace_kernel`: one launch of one kernel outside any problem."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from warpgauge.build import compile_source
from warpgauge.candidate import TraceLaunch, load_trace_launch, trace_plan
from warpgauge.diagnostics import Diagnostic, Span, WarpgaugeError
from warpgauge.diagnostics.faults import fault_diagnostic, unsupported_diagnostic
from warpgauge.evidence import Counters, Coverage, Fault, Location, Site, Unsupported
from warpgauge.problem.dtypes import Array
from warpgauge.vgpu import Budget, GlobalMemory

from .launches import not_executed, run_launches
from .record import FAILED, PASSED, UNDECIDED

load_launch = load_trace_launch


@dataclass(frozen=True)
class TraceResult:
    """What one launch did. `outputs` holds every buffer after it, by argument name, in its declared shape.

    `unsupported` lists the instructions at which execution had to stop; `stopped` says why it is not `completed`.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    counters: Counters
    sites: tuple[Site, ...]
    faults: tuple[Fault, ...]
    unsupported: tuple[Unsupported, ...]
    completed: bool
    stopped: str
    coverage: Coverage
    outputs: Mapping[str, Array] = field(repr=False, compare=False)
    sources: Mapping[str, str] = field(repr=False, compare=False)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Safety findings and what could not be executed; never anything about speed."""
        return (*map(fault_diagnostic, self.faults), *map(unsupported_diagnostic, self.unsupported))

    @property
    def exit_code(self) -> int:
        """1 where a fault was found, 3 where the launch could not run to its end, else 0."""
        if any(not fault.warning for fault in self.faults):
            return FAILED
        return PASSED if self.completed else UNDECIDED


def trace_kernel(
    source: Path,
    entry: str | None,
    launch: TraceLaunch,
    *,
    arch: str = "sm_90",
    seed: int = 0,
    budget: Budget | None = None,
) -> TraceResult:
    """Compiles `source`, executes `launch` of `entry` with full checking and returns counters, sites and faults.

    Without an entry it is the one that `launch` names, else the file's only kernel. WarpgaugeError: what compiling
    raises, PRB902 to PRB907 for a launch that does not fit, PRB903 where no entry is named and the file has not exactly
    one kernel, SRC802 where the launch asks for something that the virtual GPU does not execute.
    """
    try:
        return _traced(source, entry, launch, arch, seed, budget or Budget())
    except WarpgaugeError as error:
        raise error.showing(launch.texts) from None


def _only_kernel(source: Path, arch: str) -> str:
    """The name of the one kernel that a file has."""
    names = list(compile_source(source, arch=arch).lowered)
    if len(names) == 1:
        return names[0]
    message = f"which kernel? {source} has {len(names) or 'none that is no template'}"
    help = f"name it with --entry: {', '.join(names) or 'an instance such as name<32>'}"
    raise WarpgaugeError(Diagnostic("PRB903", "error", message, Span(Location(str(source), 0)), (), help))


def _traced(source: Path, entry: str | None, launch: TraceLaunch, arch: str, seed: int, budget: Budget) -> TraceResult:
    if entry is None:
        entry = launch.entry or _only_kernel(source, arch)
    planned = trace_plan(launch, entry, arch=arch, seed=seed)
    build = compile_source(source, arch=arch, entries=[entry])
    if reason := not_executed([planned.launch]):
        raise WarpgaugeError(Diagnostic("SRC802", "error", reason, planned.launch.place.span))
    memory = GlobalMemory()
    addresses = {
        name: memory.add(name, array, initialised=name not in planned.undefined)
        for name, array in planned.buffers.items()
    }
    (execution,) = run_launches(build, [planned.launch], memory, addresses, mode="shadow", budget=budget)
    return TraceResult(
        entry,
        execution.grid,
        execution.block,
        execution.counters,
        execution.sites,
        execution.faults,
        tuple(u for u in execution.unsupported if u.reached),
        execution.completed,
        execution.stopped,
        execution.coverage,
        {name: layout.view(memory.read(name)) for name, layout in planned.layouts.items()},
        build.sources,
    )


def save_outputs(result: TraceResult, folder: Path) -> dict[str, str]:
    """Writes every buffer to `folder` as NAME.npy and returns the paths; a file is there whole or not at all.

    WarpgaugeError PRB907 where the folder cannot be written.
    """
    files: dict[str, str] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in result.outputs.items():
            path, partial = folder / f"{name}.npy", folder / f".{name}.{os.getpid()}.partial"
            try:
                with partial.open("wb") as file:
                    np.save(file, np.ascontiguousarray(array))
                os.replace(partial, path)
            finally:
                partial.unlink(missing_ok=True)
            files[name] = str(path)
    except OSError as error:
        message = f"cannot write to {folder}: {error.strerror or error}"
        raise WarpgaugeError(Diagnostic("PRB907", "error", message)) from None
    return files
