"""What contracts need to know about the launches of a plan besides their executions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from warpgauge.arch import CHIPS, Chip
from warpgauge.contracts.case import LaunchShape
from warpgauge.evidence import BuildArtifact, Parallelism
from warpgauge.problem import Problem
from warpgauge.sass import parallelism

from .trials import Planned


def named_chip(problem: Problem) -> Chip | None:
    """The chip that the problem names; planning refuses an unknown one."""
    return CHIPS.get(problem.problem.chip or "")


def judged_launches(planned: Iterable[Planned]) -> tuple[LaunchShape, ...]:
    """The launches on every judged shape, in the order in which they are executed."""
    return tuple(
        LaunchShape(launch.entry, launch.threads, launch.dynamic_shared, prod(launch.cluster), launch.cooperative)
        for trial in planned
        if (trial.role, trial.inputs, trial.again) == ("judge", "declared", False)
        for launch in trial.launches
    )


def warp_parallelism(build: BuildArtifact, entries: Sequence[str]) -> dict[str, Parallelism]:
    """What the machine code of each entry says; empty where the build has none."""
    found = {entry: parallelism(build.sass, build.lowered[entry]) for entry in entries if build.sass}
    return {entry: facts for entry, facts in found.items() if facts is not None}
