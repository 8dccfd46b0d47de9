"""Planned launches on the virtual GPU: arguments as the kernel's parameters want them, one execution after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from warpgauge.candidate import Arg, BufferArg, BytesArg, NullArg, PlannedLaunch, ScalarArg, TensorMapArg
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.problem.dtypes import encode
from warpgauge.problem.place import fail
from warpgauge.ptx import Module, Variable, parsed
from warpgauge.vgpu import Budget, GlobalMemory, Order, Watched, execute

from .sampling import Sampling

Mode = str
Passed = int | float | bytes

_FLOATS = ("f16", "bf16", "f32", "f64")

# What a plan may ask for and the virtual GPU cannot do yet: test -> what is missing.
_NOT_EXECUTED: tuple[tuple[Callable[[PlannedLaunch], bool], str], ...] = (
    (lambda launch: launch.cluster != (1, 1, 1), "clusters"),
    (lambda launch: any(isinstance(a, TensorMapArg) for a in launch.args), "tensor maps"),
)


def not_executed(launches: Sequence[PlannedLaunch]) -> str:
    """Why the virtual GPU cannot execute a plan; empty if it can."""
    for launch in launches:
        for asks, what in _NOT_EXECUTED:
            if asks(launch):
                return f"{launch.entry}: the virtual GPU does not execute {what} yet"
    return ""


@lru_cache(maxsize=16)
def _module(ptx: str) -> Module:
    return parsed(ptx)


def _passed(argument: Arg, parameter: Variable | None, addresses: Mapping[str, int], launch: PlannedLaunch) -> Passed:
    """One argument in the form that `execute` takes. A bare number becomes what the parameter is."""
    match argument:
        case BufferArg(name):
            return addresses[name]
        case NullArg():
            return 0
        case BytesArg(data):
            return data
        case ScalarArg(value, dtype) if dtype is not None:
            return encode(np.array([value]), dtype).tobytes()
        case ScalarArg(value):
            kind = parameter.type if parameter else ""
            if kind in _FLOATS:
                return float(value)
            if isinstance(value, float) and kind[:1] in ("u", "s"):
                raise fail("PRB905", f"{value} is passed to an integer parameter", launch.place)
            return value
    raise TypeError(f"not passable: {argument!r}")


def arguments(build: BuildArtifact, launch: PlannedLaunch, addresses: Mapping[str, int]) -> list[Passed]:
    """What `execute` is given for a launch. PRB905 where the number of arguments or a number's kind is wrong."""
    parameters = _module(build.ptx).kernels[build.lowered[launch.entry]].params
    if len(parameters) != len(launch.args):
        message = f"{launch.entry} has {len(parameters)} parameters, the plan passes {len(launch.args)} arguments"
        raise fail("PRB905", message, launch.place)
    return [_passed(a, p, addresses, launch) for a, p in zip(launch.args, parameters, strict=True)]


def run_launches(
    build: BuildArtifact,
    launches: Sequence[PlannedLaunch],
    memory: GlobalMemory,
    addresses: Mapping[str, int],
    *,
    mode: Mode,
    budget: Budget,
    order: Order | None = None,
    watch: Watched | None = None,
    sampling: Sampling | None = None,
    footprint: bool = False,
    threads: int | None = None,
    constants: Mapping[str, bytes] = MappingProxyType({}),
) -> tuple[Execution, ...]:
    """Executes the launches in order on one memory, up to the first that does not run to its end.

    `order` permutes blocks and warps within each launch; `watch`, `footprint` and `threads` as `execute` takes
    them; with `sampling` not all blocks run. `constants`: symbol -> bytes of `__constant__` variables. Module variables
    start as they are declared (or given) with each new memory, so that a call never sees what an earlier one left.
    """
    executions: list[Execution] = []
    for launch in launches:
        execution = execute(
            build,
            launch.entry,
            grid=launch.grid,
            block=launch.block,
            dynamic_shared=launch.dynamic_shared,
            arguments=arguments(build, launch, addresses),
            memory=memory,
            mode=mode,
            budget=budget,
            threads=threads,
            cooperative=launch.cooperative,
            order=order,
            watch=watch,
            sample=sampling.of(launch) if sampling else None,
            footprint=footprint,
            constants=constants,
        )
        executions.append(execution)
        if not execution.completed:
            break
    return tuple(executions)
