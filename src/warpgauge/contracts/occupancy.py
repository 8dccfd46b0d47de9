"""Occupancy: enough in flight for the latency of this class of kernel, or a number of warps where the problem asks.

High occupancy is no goal: a kernel with few warps that each have much under way passes, one with many that have little
need not.
"""

from __future__ import annotations

from collections.abc import Mapping

from warpgauge.arch import Chip, Demand, Limits, Occupancy, limits, occupancy, steps
from warpgauge.diagnostics import Diagnostic
from warpgauge.evidence import Coverage, KernelResources, Provenance

from .case import Case, LaunchShape, blocks, judged
from .hiding import UNITS, Hiding, hiding
from .result import ContractResult, Verdict, unknown

NAME = "occupancy"
UNIT = "of need in flight"
SHORT = "less work than a launch costs"
NO_CHIP = "the problem names no chip, and what must be in flight depends on it"


def _resources(case: Case) -> dict[str, KernelResources]:
    """What ptxas says about each entry of the plan."""
    if case.build is None:
        return {}
    symbols = {entry: case.build.lowered.get(entry, entry) for entry in case.entries}
    return {entry: case.build.resources[s] for entry, s in symbols.items() if s in case.build.resources}


def _step_advice(found: Occupancy, limit: Limits) -> str:
    """What alone would let one more block in."""
    words = {"registers": "registers per thread", "shared memory": "bytes of shared memory per block"}
    ups = [s for s in steps(limit, found.demand) if s.direction == "up" and s.quantity in words]
    return " or ".join(
        f"at most {s.value:,} {words[s.quantity]} (now {s.value - s.change:,}; {s.warps_per_sm} warps)" for s in ups
    )


def _advice(h: Hiding, limit: Limits, chip: Chip) -> str:
    """What would have to change, the cheapest first."""
    factor = 1 / h.ratio if h.ratio else 0.0
    options = []
    if h.grid_limits:
        grid = f"{h.execution.grid[0] * h.execution.grid[1] * h.execution.grid[2]:,}"
        room = h.occupancy.blocks_per_sm * chip.sms
        options.append(f"launch more blocks: {grid} do not fill the {room:,} places of {chip.name}")
    if h.kind == "memory":
        options.append(
            f"let each warp have {factor:.2g} times as much under way: load wider (up to 16 bytes per lane), or issue "
            "the loads of several elements before the first is used (unrolling, __restrict__)"
        )
    elif h.kind == "shared memory":
        options.append("read several values from shared memory before the first is used, or wider ones")
    else:
        options.append("give each thread independent work: several accumulators, or several outputs per thread")
    if not h.grid_limits and (more := _step_advice(h.occupancy, limit)):
        options.append(f"or let more warps in: {more}")
    return "; ".join(options)


def _hiding_diagnostic(h: Hiding, limit: Limits, chip: Chip, asked: float) -> Diagnostic:
    unit = UNITS[h.kind]
    limited = "the grid" if h.grid_limits else ", ".join(h.occupancy.limited_by)
    message = (
        f"{h.execution.kernel} has {h.in_flight:,.0f} {unit} in flight per SM where {h.needed:,.0f} would hide the "
        f"latency of {chip.name}: {h.ratio:.2g} of the need, asked {asked:.2g} ({h.resident_warps:.3g} warps per SM, "
        f"limited by {limited}, with {h.per_warp:,.3g} {unit} each)"
    )
    evidence = {
        "entry": h.execution.kernel,
        "class": h.kind,
        "needed": h.needed,
        "in_flight": h.in_flight,
        "per_warp": h.per_warp,
        "resident_warps": h.resident_warps,
        "blocks_per_sm": h.occupancy.blocks_per_sm,
        "limited_by": limited,
        "latency": chip.memory_latency,
        "latency_source": chip.quote("memory_latency_cycles"),
        "bandwidth": chip.memory_bandwidth,
        "bandwidth_source": chip.quote("memory_bandwidth"),
    }
    return Diagnostic("OCC302", "error", message, None, (), _advice(h, limit, chip), evidence)


def _count_diagnostic(entry: str, found: Occupancy, limit: Limits, asked: float) -> Diagnostic:
    message = (
        f"{entry} has {found.warps_per_sm} warps per SM, asked {asked:g}: {found.blocks_per_sm} blocks of "
        f"{found.warps_per_block} warps, limited by {', '.join(found.limited_by)}"
    )
    evidence = {
        "entry": entry,
        "warps_per_sm": found.warps_per_sm,
        "blocks_per_sm": found.blocks_per_sm,
        "limited_by": list(found.limited_by),
        "occupancy": found.occupancy,
    }
    advice = _step_advice(found, limit)
    help = f"{advice} would let more in; more warps are no gain by themselves" if advice else ""
    return Diagnostic("OCC303", "error", message, None, (), help, evidence)


def _counted(
    shapes: tuple[LaunchShape, ...], found: list[Occupancy], limit: Limits, settings: Mapping[str, float]
) -> ContractResult:
    """The verdict where the problem asks for a number of warps, as `min_warps` or the literal preset does."""
    asked = settings["min_warps"]
    short = {s.entry: o for s, o in zip(shapes, found, strict=True) if o.warps_per_sm < asked}
    return ContractResult(
        NAME,
        Verdict.FAIL if short else Verdict.PASS,
        measured=min(o.warps_per_sm for o in found),
        asked=asked,
        unit="warps per SM",
        provenance=Provenance("predicted", "ptxas and the arch table"),
        coverage=Coverage(len(found), len(found), "launches"),
        diagnostics=tuple(_count_diagnostic(entry, o, limit, asked) for entry, o in short.items()),
    )


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """FAIL if a launch on the judged shape has less than `in_flight_floor` of what Little's law asks for in flight.

    With `min_warps` above 0 the number of resident warps is judged instead, which needs no chip. UNKNOWN without
    resources, chip or complete execution, and where the code does not say what is under way.
    """
    resources = _resources(case)
    if case.build is None or not case.launches or any(s.entry not in resources for s in case.launches):
        return unknown(
            NAME, case.missing.get("build", "the compiler reported no resources for every kernel of the plan")
        )
    limit = limits(case.build.arch)
    found = [occupancy(limit, Demand.of(s, resources[s.entry])) for s in case.launches]
    if settings["min_warps"] > 0:
        return _counted(case.launches, found, limit, settings)
    if case.chip is None:
        return unknown(NAME, NO_CHIP)
    if case.chip.arch != limit.arch:
        return unknown(NAME, f"the problem's chip {case.chip.name} is {case.chip.arch}, the kernel is for {limit.arch}")
    executions, reason = judged(case)
    if reason or len(executions) != len(found):
        return unknown(NAME, reason or "not every launch was executed")
    if not all(o.blocks_per_sm for o in found):
        return unknown(NAME, next(o.refused for o in found if o.refused))
    hidden = [
        hiding(e, o, limit, case.chip, case.parallelism.get(s.entry))
        for e, o, s in zip(executions, found, case.launches, strict=True)
    ]
    return _verdict(hidden, limit, case.chip, settings["in_flight_floor"])


def _verdict(hidden: list[Hiding], limit: Limits, chip: Chip, floor: float) -> ContractResult:
    known = [h for h in hidden if not h.unknown]
    failed = [h for h in known if h.ratio < floor]
    coverage = blocks(tuple(h.execution for h in hidden))
    if len(known) < len(hidden) and not failed:
        return unknown(NAME, next(f"{h.execution.kernel}: {h.unknown}" for h in hidden if h.unknown), coverage=coverage)
    judged_launches = [h for h in known if h.kind != "short"]
    return ContractResult(
        NAME,
        Verdict.FAIL if failed else Verdict.PASS,
        measured=min((h.ratio for h in judged_launches), default=None),
        asked=floor,
        unit=UNIT,
        provenance=Provenance("predicted", "Little's law"),
        coverage=coverage,
        diagnostics=tuple(_hiding_diagnostic(h, limit, chip, floor) for h in failed),
        reason="" if judged_launches else SHORT,
    )
