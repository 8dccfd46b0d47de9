"""What a built candidate needs of an architecture, and which of the known ones can hold it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from warpgauge.arch import LIMITS, Demand, Limits, occupancy
from warpgauge.contracts.case import LaunchShape
from warpgauge.evidence import BuildArtifact
from warpgauge.ptx import PtxError, parsed
from warpgauge.ptx.needs import Construct, constructs, lacking


@dataclass(frozen=True)
class Fit:
    """One known architecture. `target` is what to build for there, with the suffix that a construct asks for.

    `reason` says why it cannot hold the candidate, and is empty where it can.
    """

    arch: str
    target: str
    reason: str = ""


@dataclass(frozen=True)
class Needs:
    """`constructs` as the build for `built_for` has them: code behind a test of `__CUDA_ARCH__` may differ elsewhere.

    `launches` are words for what the launches ask for beyond what every launch may have: shared memory that has to be
    asked for, clusters, a cooperative launch. `fits` has a row per known architecture, in the order of their numbers.
    """

    built_for: str
    constructs: tuple[Construct, ...]
    launches: tuple[str, ...]
    fits: tuple[Fit, ...]

    @property
    def lowest(self) -> Fit | None:
        """The first architecture that can hold the candidate; None where none can."""
        return next((fit for fit in self.fits if not fit.reason), None)


def needs_of(build: BuildArtifact, entries: Sequence[str], launches: Sequence[LaunchShape]) -> Needs | None:
    """The needs of the entries, and of their launches on the judged shapes; None for PTX that cannot be read."""
    try:
        found = constructs(parsed(build.ptx), [build.lowered[entry] for entry in entries], build.sources)
    except PtxError:
        return None
    default = next(iter(LIMITS.values())).shared_per_block
    return Needs(
        build.arch,
        found,
        tuple(dict.fromkeys(words for launch in launches for words in _asks(build, launch, default))),
        tuple(_fit(build, found, launches, limit) for limit in LIMITS.values()),
    )


def _shared(build: BuildArtifact, launch: LaunchShape) -> int:
    resources = build.resources.get(build.lowered[launch.entry])
    return launch.dynamic_shared + (resources.static_shared if resources else 0)


def _asks(build: BuildArtifact, launch: LaunchShape, default: int) -> list[str]:
    shared = _shared(build, launch)
    words = []
    if shared > default:
        words.append(
            f"{launch.entry}: {shared:,} bytes of shared memory per block, above the default of {default:,}: a host "
            "program has to set cudaFuncAttributeMaxDynamicSharedMemorySize"
        )
    if launch.cluster > 1:
        words.append(f"{launch.entry}: clusters of {launch.cluster} blocks, sm_90 or newer")
    if launch.cooperative:
        words.append(f"{launch.entry}: a cooperative launch, all blocks resident at once")
    return words


def _fit(build: BuildArtifact, found: Sequence[Construct], launches: Sequence[LaunchShape], limit: Limits) -> Fit:
    """An architecture has to have every construct under one and the same target, and room for every launch."""
    targets = (limit.arch, f"{limit.arch}f", f"{limit.arch}a")
    target = next((t for t in targets if not lacking(found, t)), None)
    if target is None:
        first = min((lacking(found, t) for t in targets), key=len)[0]
        return Fit(limit.arch, limit.arch, f"{first.need.name} needs {first.need.words}{_at(first)}")
    for launch in launches:
        if reason := _no_room(build, launch, limit):
            return Fit(limit.arch, target, f"{launch.entry}: {reason}")
    return Fit(limit.arch, target)


def _at(construct: Construct) -> str:
    place = construct.location
    return f" ({os.path.basename(place.file) or 'PTX'} line {place.line})" if place.line else ""


def _no_room(build: BuildArtifact, launch: LaunchShape, limit: Limits) -> str:
    if launch.cluster > limit.cluster_blocks:
        most = f"at most {limit.cluster_blocks} blocks" if limit.cluster_blocks > 1 else "no clusters"
        return f"clusters of {launch.cluster} blocks, {limit.arch} has {most}"
    resources = build.resources.get(build.lowered[launch.entry])
    if resources is None:
        return ""
    try:
        return occupancy(limit, Demand.of(launch, resources)).refused
    except ValueError as error:
        return str(error)
