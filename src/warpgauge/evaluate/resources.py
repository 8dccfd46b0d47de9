"""What each kernel of a launch plan takes of a multiprocessor: the compiler's figures and the plan's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from warpgauge.evidence import BuildArtifact, Provenance

from .trials import Planned

PROVENANCE = Provenance("quoted", "ptxas and the launch plan")


@dataclass(frozen=True)
class KernelUse:
    """Registers per thread; bytes for the rest: shared memory per block, stack and spills per thread.

    `static_shared` is what the source declares with a size; `dynamic_shared` the most that a launch of the plan asks
    for on any shape of the problem.
    """

    entry: str
    registers: int
    static_shared: int
    dynamic_shared: int
    stack_frame: int
    spill_stores: int
    spill_loads: int


def kernel_uses(build: BuildArtifact, planned: Iterable[Planned]) -> tuple[KernelUse, ...]:
    """One for each kernel that the plan launches, in its order; none for a kernel that ptxas said nothing about."""
    dynamic: dict[str, int] = {}
    for launch in (launch for trial in planned for launch in trial.launches):
        dynamic[launch.entry] = max(launch.dynamic_shared, dynamic.get(launch.entry, 0))
    found = ((entry, build.resources.get(build.lowered.get(entry, entry)), most) for entry, most in dynamic.items())
    return tuple(
        KernelUse(entry, r.registers, r.static_shared, most, r.stack_frame, r.spill_stores, r.spill_loads)
        for entry, r, most in found
        if r is not None
    )
