"""OCC304: one more block per multiprocessor is a few registers or bytes away, or one is about to be lost.

The steps are those of the occupancy rules. Only short ones that change much are told: a kernel whose grid does not
fill the multiprocessors, or whose step is small, has nothing to gain.
"""

from __future__ import annotations

from collections.abc import Iterator

from warpgauge.arch import Demand, Limits, Occupancy, Step, limits, occupancy, steps
from warpgauge.candidate import PlannedLaunch
from warpgauge.diagnostics import Diagnostic
from warpgauge.evidence import KernelResources

from .subject import Subject

# How far a step may be to be told: registers per thread, and bytes of shared memory per block.
_NEAR = {"registers": 2, "shared memory": 1024}
# What a step must change of the resident warps.
_GAIN, _LOSS = 1 / 4, 1 / 3
_WORDS = {"registers": ("register per thread", "registers per thread"), "shared memory": ("byte", "bytes")}


def find(subject: Subject) -> Iterator[Diagnostic]:
    """At most one note per kernel and kind of step, about its launch with the most blocks."""
    try:
        limit = limits(subject.build.arch)
    except KeyError:
        return
    for entry in subject.entries:
        resources = subject.resources(entry)
        if resources is None or resources.registers < 1:
            continue
        launch = max(subject.launches_of(entry), key=lambda one: one.blocks)
        yield from _notes(subject, entry, launch, resources, limit)


def _notes(
    subject: Subject, entry: str, launch: PlannedLaunch, resources: KernelResources, limit: Limits
) -> Iterator[Diagnostic]:
    demand = Demand.of(launch, resources)
    try:
        now = occupancy(limit, demand)
        near = [s for s in steps(limit, demand) if abs(s.change) <= _NEAR.get(s.quantity, -1)]
    except ValueError:
        return
    if not now.blocks_per_sm or not _fills(subject, launch, now):
        return
    for step in near:
        change = abs(step.warps_per_sm - now.warps_per_sm) / now.warps_per_sm
        if change >= (_GAIN if step.direction == "up" else _LOSS) and (step.direction == "up" or step.blocks_per_sm):
            yield _note(subject, entry, launch, now, step)


def _fills(subject: Subject, launch: PlannedLaunch, now: Occupancy) -> bool:
    """Whether there are blocks for more places than there are; a chip that nobody names is taken as one SM."""
    return launch.blocks > now.blocks_per_sm * max(subject.sms, 1)


def _note(subject: Subject, entry: str, launch: PlannedLaunch, now: Occupancy, step: Step) -> Diagnostic:
    count = abs(step.change)
    unit = _WORDS[step.quantity][0 if count == 1 else 1]
    of = " of shared memory per block" if step.quantity == "shared memory" else ""
    blocks = abs(step.blocks_per_sm - now.blocks_per_sm)
    which = f"{blocks} more block{'s' if blocks > 1 else ''}" if step.direction == "up" else f"{blocks} block"
    fewer, verb = ("fewer", "give") if step.direction == "up" else ("more", "lose")
    verb += "s" if count == 1 else ""
    which = which + ("s" if step.direction == "down" and blocks > 1 else "")
    message = (
        f"{entry}: {count} {fewer} {unit}{of} {verb} {which} per multiprocessor: {now.warps_per_sm} -> "
        f"{step.warps_per_sm} warps, at {step.value:,} instead of {step.value - step.change:,}"
    )
    evidence = {
        "entry": entry,
        "quantity": step.quantity,
        "value": step.value - step.change,
        "step": step.value,
        "warps_per_sm": now.warps_per_sm,
        "warps_at_step": step.warps_per_sm,
    }
    return Diagnostic("OCC304", "note", message, subject.head(entry), (), _help(step, launch), evidence)


def _help(step: Step, launch: PlannedLaunch) -> str:
    if step.direction == "down":
        return "the next change of the source, or the next compiler, may cross it: look again then"
    if step.quantity == "registers":
        return (
            f"__launch_bounds__({launch.threads}, {step.blocks_per_sm}) asks the compiler for it; see that it does not "
            "spill, and measure: more warps are no gain by themselves"
        )
    return "smaller tiles or less padding; measure: more warps are no gain by themselves"
