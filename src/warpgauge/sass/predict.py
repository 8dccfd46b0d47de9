"""From one pass of each stretch to the cycles of a launch.

How often a warp passes through a stretch is what the virtual GPU counted for the PTX blocks that its instructions come
from. Residency says how many warps share a scheduler, the grid how many waves there are. What caches answer is not
modelled: bytes that nothing but device memory can supply are a floor, every byte beyond them comes from the L2.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from math import ceil, prod
from statistics import median_low

from warpgauge.arch import Occupancy
from warpgauge.evidence import BlockActivity, Execution, MachineCode, PredictedTime, StretchTime

from .classes import class_of
from .model import Costs, Parts
from .pipes import Machine

_SECTOR, _SECTORS_OF_A_WAVEFRONT = 32, 4
#: Classes whose PTX instruction becomes one SASS instruction: how often it appears is how often the body was copied.
_ONE_TO_ONE = ("fp32", "fp64", "fp16", "tensor", "global memory", "shared memory")


def costs_of(execution: Execution, machine: Machine, unique_bytes: float | None = None, cached: bool = False) -> Costs:
    """What the accesses of an execution cost.

    Of all bytes that loads ask for, `unique_bytes` come from device memory and the rest from the L2, which weighs
    the latency; all come from device memory where that is not known, all from the L2 where the data is `cached`.
    """
    wavefronts = {}
    for site in execution.sites:
        if site.space == "shared" and site.requests:
            wavefronts[site.ptx_line] = site.wavefronts / site.requests
        elif site.space == "global" and site.requests:
            wavefronts[site.ptx_line] = max(1.0, site.sectors / site.requests / _SECTORS_OF_A_WAVEFRONT)
    if cached:
        return Costs(wavefronts, machine.l2_latency)
    if unique_bytes is None:
        return Costs(wavefronts)
    scale = execution.coverage.total / max(1, execution.coverage.done)
    asked = scale * _SECTOR * sum(s.sectors for s in execution.sites if s.space == "global" and s.op == "load")
    share = min(1.0, unique_bytes / asked) if asked else 1.0
    return Costs(wavefronts, share * machine.memory_latency + (1 - share) * machine.l2_latency)


def passes(parts: Parts, execution: Execution) -> tuple[float, ...]:
    """How often a warp passes through each stretch, on average over the warps of the launch.

    A body that ptxas unrolled shows each PTX instruction several times and turns that much less often; the loop that
    it makes for what is left over turns a few times at most, which count as none.
    """
    warps = execution.coverage.done * -(-prod(execution.block) // 32)
    blocks = sorted(execution.ptx_blocks, key=lambda block: block.first_line)
    starts = [block.first_line for block in blocks]

    def block_at(line: int) -> BlockActivity | None:
        at = bisect_right(starts, line) - 1
        return blocks[at] if at >= 0 and line <= blocks[at].last_line else None

    copies = [_copies(parts, stretch) for stretch in parts.stretches]
    found = [1.0] * len(parts.stretches)
    taken: set[BlockActivity] = set()
    for n in sorted(range(1, len(copies)), key=lambda n: -copies[n]):
        body = [parts.code[position] for position in parts.stretches[n]]
        # Where there are accesses or floating-point operations they tell more: of other arithmetic, ptxas shares much
        # between places, and a shared instruction has the line of one of them.
        telling = [i for i in body if class_of(i).name in _ONE_TO_ONE] or body
        homes = [home for i in telling if (home := block_at(i.ptx_line)) is not None]
        if not homes:
            continue
        usual = median_low(home.warp_executions for home in homes)
        mine = {home for home in homes if home.warp_executions == usual}
        found[n] = 0.0 if mine <= taken else usual / copies[n] / max(1, warps)
        if copies[n] > 1:
            taken |= mine
    return tuple(found)


def _copies(parts: Parts, stretch: Sequence[int]) -> int:
    counts: dict[int, Counter[str]] = {}
    for position in stretch:
        i = parts.code[position]
        if i.ptx_line and class_of(i).name in _ONE_TO_ONE:
            counts.setdefault(i.ptx_line, Counter())[i.opcode] += 1
    return median_low([max(c.values()) for c in counts.values()]) if counts else 1


def predict(
    code: MachineCode,
    turns: Sequence[float],
    execution: Execution,
    occupancy: Occupancy,
    machine: Machine,
    *,
    blocks: int | None = None,
    memory_bytes: float = 0.0,
) -> PredictedTime:
    """Cycles of the launch on `machine.chip`, as `passes` counted its stretches.

    `blocks` is the grid where it is another one than was executed. ValueError where no block fits on an SM, or without
    a chip.
    """
    if machine.chip is None or not occupancy.blocks_per_sm:
        raise ValueError("a time needs a chip, and a block that fits on its SMs")
    sms, resident = machine.chip.sms, occupancy.blocks_per_sm
    each = occupancy.warps_per_block / machine.limit.sub_partitions
    grid = prod(execution.grid) if blocks is None else blocks
    full, tail = divmod(grid, sms * resident)
    most = min(resident, ceil(grid / sms))

    def once(count: int) -> list[StretchTime]:
        rows = []
        for n, (stretch, often) in enumerate(zip(code.stretches, turns, strict=True)):
            cycles, bound = stretch.time(count, each)
            rows.append(StretchTime(n, often, cycles, bound))
        return rows

    def total(count: int) -> float:
        return sum(row.passes * row.cycles for row in once(count))

    cycles = full * total(resident) + (total(ceil(tail / sms)) if tail else 0.0)
    times = once(most)
    memory = memory_bytes / machine.chip.memory_bandwidth * machine.chip.clock_hz
    largest = max(times, key=lambda row: row.passes * row.cycles)
    return PredictedTime(
        cycles=max(cycles, memory),
        bound="device memory" if memory > cycles else largest.bound,
        blocks_per_sm=most,
        warps_per_scheduler=most * each,
        waves=grid / (sms * resident),
        times=tuple(times),
        memory_bytes=memory_bytes,
        memory_cycles=memory,
    )
