"""OCC305: spills that `__launch_bounds__` or `__maxnreg__` brings about, measured by compiling without it."""

from __future__ import annotations

from collections.abc import Iterator

from warpgauge.arch import Demand, limits, occupancy
from warpgauge.diagnostics import Diagnostic
from warpgauge.evidence import KernelResources

from .signatures import bounds, without_bounds
from .subject import Subject, plain_name


def find(subject: Subject) -> Iterator[Diagnostic]:
    """A finding per kernel that spills within its bounds, would not without, and could be launched so."""
    text = subject.build.sources.get(subject.source, "")
    spilling = {
        entry: asked
        for entry in subject.entries
        if (r := subject.resources(entry)) and _spilled(r) and (asked := bounds(text, plain_name(entry)))
    }
    if not spilling:
        return
    other = subject.rebuild(without_bounds(text, frozenset(map(plain_name, spilling))))
    if other is None:
        return
    for entry, asked in spilling.items():
        before, after = subject.resources(entry), other.resources.get(other.lowered[entry])
        if before is None or after is None or _spilled(after) >= _spilled(before):
            continue
        if warps := _warps(subject, entry, before, after):
            yield _finding(subject, entry, asked, before, after, warps)


def _spilled(resources: KernelResources) -> int:
    return resources.spill_stores + resources.spill_loads


def _warps(subject: Subject, entry: str, before: KernelResources, after: KernelResources) -> tuple[int, int] | None:
    """Resident warps with and without the bounds; None where some launch could not run without them."""
    found = []
    for launch in subject.launches_of(entry):
        for kernel in (before, after):
            try:
                held = occupancy(limits(subject.build.arch), Demand.of(launch, kernel))
            except (KeyError, ValueError):
                return None
            if held.refused:
                return None
            found.append(held.warps_per_sm)
    return found[0], found[1]


def _finding(
    subject: Subject,
    entry: str,
    asked: str,
    before: KernelResources,
    after: KernelResources,
    warps: tuple[int, int],
) -> Diagnostic:
    message = (
        f"{entry}: {asked} costs {_spilled(before)} bytes of spills; without it the compiler spills {_spilled(after)}, "
        f"takes {after.registers} registers per thread instead of {before.registers}, and {warps[1]} warps are "
        f"resident per multiprocessor instead of {warps[0]}"
    )
    help = (
        "weaken the bound (fewer blocks per multiprocessor, or none), or give each thread less to hold; measure both: "
        "spills go through the L1 cache, and fewer warps hide less latency"
    )
    evidence = {
        "entry": entry,
        "bounds": asked,
        "spilled": [_spilled(before), _spilled(after)],
        "registers": [before.registers, after.registers],
        "warps_per_sm": list(warps),
    }
    return Diagnostic("OCC305", "warning", message, subject.head(entry), (), help, evidence)
