"""Latency hiding of one launch: what class of kernel it is, what it must have in flight, and what it has.

The class is the resource that would take longest at full rate: device memory for the bytes that requests move, shared
memory for the wavefronts, the schedulers for the instructions. Little's law then says how much must be in flight per
SM; resident warps x what one warp has under way before it waits says how much is. Requests are taken to go to device
memory: what caches answer has less latency, so the figure asks rather too much than too little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from warpgauge.arch import LAUNCH_COST, Chip, Limits, Occupancy, needed_in_flight
from warpgauge.evidence import Execution, Parallelism, Site

SECTOR = 32
Kind = Literal["memory", "shared memory", "instructions", "short"]
UNITS: dict[Kind, str] = {"memory": "bytes", "shared memory": "wavefronts", "instructions": "instructions", "short": ""}


@dataclass(frozen=True)
class Hiding:
    """One launch on one chip; per SM, in units of its class.

    `needed` and `in_flight` are 0 for a launch that at full rate takes no longer than launching it ("short");
    `per_warp` is what one warp has under way. `unknown` says why the figures cannot be had. `resident_warps` are those
    of an average SM: fewer than `occupancy` allows where the grid has too few blocks.
    """

    execution: Execution
    occupancy: Occupancy
    kind: Kind
    needed: float = 0.0
    per_warp: float = 0.0
    resident_warps: float = 0.0
    grid_limits: bool = False
    unknown: str = ""

    @property
    def in_flight(self) -> float:
        return self.resident_warps * self.per_warp

    @property
    def ratio(self) -> float:
        """In flight over needed; 1 where nothing is needed."""
        return self.in_flight / self.needed if self.needed else 1.0


def _cost(site: Site) -> int:
    return site.sectors * SECTOR if site.space == "global" else site.wavefronts


def _loads(execution: Execution, space: str) -> tuple[int, list[Site]]:
    """(cost of every access to a space, its load sites), in bytes or wavefronts."""
    sites = [site for site in execution.sites if site.space == space]
    return sum(map(_cost, sites)), [site for site in sites if site.op == "load" and site.requests]


def under_way(loads: Sequence[Site], parallelism: Parallelism | None, space: str) -> float:
    """Bytes or wavefronts that a warp has under way on average while it waits for loads of a space.

    A batch costs one latency whatever its size, so the mean over the loads is harmonic: all that is loaded, over how
    many waits it takes. A load that the machine code does not show is taken to wait with the largest batch.
    """
    # A wmma.load has a site for each of its requests, and a batch names its line once for each.
    lines: dict[int, list[Site]] = {}
    for site in loads:
        lines.setdefault(site.ptx_line, []).append(site)
    each = {line: sum(map(_cost, sites)) / sum(s.requests for s in sites) for line, sites in lines.items()}
    sizes: dict[int, float] = {}
    for batch in parallelism.batches if parallelism else ():
        if batch.space == space:
            size = sum(each.get(line, 0.0) for line in batch.ptx_lines)
            for line in batch.ptx_lines:
                sizes[line] = max(sizes.get(line, 0.0), size)
    largest = max(sizes.values(), default=0.0)
    total = sum(map(_cost, loads))
    waits = sum(_cost(s) / (sizes.get(s.ptx_line) or max(largest, _cost(s) / s.requests)) for s in loads if _cost(s))
    return total / waits if waits else 0.0


def hiding(
    execution: Execution, occupancy: Occupancy, limit: Limits, chip: Chip, parallelism: Parallelism | None
) -> Hiding:
    """The figures of one launch that ran to its end."""
    memory, memory_loads = _loads(execution, "global")
    wavefronts, shared_loads = _loads(execution, "shared")
    # A sample of the blocks stands for the whole grid.
    scale = execution.coverage.total / max(execution.coverage.done, 1)
    instructions = execution.thread_instructions / limit.warp_size
    clocks = chip.sms * chip.clock_hz
    seconds: dict[Kind, float] = {
        "memory": scale * memory / chip.memory_bandwidth,
        "shared memory": scale * wavefronts / clocks,
        "instructions": scale * instructions / (limit.sub_partitions * clocks),
    }
    kind = max(seconds, key=lambda k: seconds[k])
    blocks = execution.grid[0] * execution.grid[1] * execution.grid[2]
    room = occupancy.blocks_per_sm * chip.sms
    resident = min(room, blocks) / chip.sms * occupancy.warps_per_block
    need = needed_in_flight(chip, limit)
    grid_limits = blocks < room

    def answer(needed: float = 0.0, per_warp: float = 0.0, unknown: str = "") -> Hiding:
        return Hiding(execution, occupancy, kind, needed, per_warp, resident, grid_limits, unknown)

    if seconds[kind] <= LAUNCH_COST:
        return Hiding(execution, occupancy, "short", resident_warps=resident)
    if parallelism is None:
        return answer(unknown="there is no machine code to read from")
    if parallelism.bulk:
        return answer(unknown="the kernel copies in bulk, and its code does not say how much is under way")
    if kind == "memory":
        if need.memory_bytes is None:
            return answer(unknown=f"no source gives the memory latency of {chip.name}")
        # Stores do not wait: only the loads' share of the bandwidth needs anything in flight.
        loaded = sum(map(_cost, memory_loads))
        return answer(need.memory_bytes * loaded / memory, under_way(memory_loads, parallelism, "global"))
    if parallelism.tensor:
        return answer(unknown="how many tensor-core instructions are under way is not counted")
    if kind == "shared memory":
        loaded = sum(map(_cost, shared_loads))
        return answer(need.wavefronts * loaded / wavefronts, under_way(shared_loads, parallelism, "shared"))
    return answer(need.instructions, parallelism.ilp)
