"""Occupancy: how many blocks of a kernel are resident on one SM, which resource says so, and where the next step lies.

The rules, in the words of NVIDIA's documentation: registers go to warps in units of 256, from the register file of one
of four sub-partitions; shared memory goes to blocks in units of 128 bytes (256 before sm_80), the system's share
included; warps, blocks and, from sm_90 on, named barriers are counted per SM. The fewest blocks of these decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from .limits import Limits


class Launched(Protocol):
    """What a launch decides of what a block asks for; shared memory in bytes."""

    @property
    def threads(self) -> int: ...
    @property
    def dynamic_shared(self) -> int: ...


class Compiled(Protocol):
    """What the compiler decides: registers per thread, bytes of shared memory, named barriers."""

    @property
    def registers(self) -> int: ...
    @property
    def static_shared(self) -> int: ...
    @property
    def barriers(self) -> int: ...


@dataclass(frozen=True)
class Demand:
    """What one block asks for: threads, registers per thread, bytes of shared memory, named barriers."""

    threads: int
    registers: int
    static_shared: int = 0
    dynamic_shared: int = 0
    barriers: int = 0

    @classmethod
    def of(cls, launch: Launched, kernel: Compiled) -> Demand:
        """A launch of a compiled kernel; one that needs no register holds one."""
        registers = max(1, kernel.registers)
        return cls(launch.threads, registers, kernel.static_shared, launch.dynamic_shared, kernel.barriers)

    @property
    def shared(self) -> int:
        return self.static_shared + self.dynamic_shared


@dataclass(frozen=True)
class ResourceLimit:
    """How many blocks one resource of an SM allows: `available` units, of which a block takes `per_block`."""

    resource: str
    blocks: int
    per_block: int
    available: int
    unit: str


@dataclass(frozen=True)
class Occupancy:
    """The answer for one demand. `limits` has a row per resource; `refused` says why not even one block fits.

    `registers_per_warp` and `shared_per_block` are what is really handed out, rounded up.
    """

    arch: str
    demand: Demand
    warps_per_block: int
    registers_per_warp: int
    shared_per_block: int
    most_warps: int
    limits: tuple[ResourceLimit, ...]
    refused: str = ""

    @property
    def blocks_per_sm(self) -> int:
        return min(limit.blocks for limit in self.limits)

    @property
    def warps_per_sm(self) -> int:
        return self.blocks_per_sm * self.warps_per_block

    @property
    def occupancy(self) -> float:
        """Resident warps over the most that an SM holds."""
        return self.warps_per_sm / self.most_warps

    @property
    def limited_by(self) -> tuple[str, ...]:
        """The resources that decide, in the order of `limits`; several where they agree."""
        fewest = min(limit.blocks for limit in self.limits)
        return tuple(limit.resource for limit in self.limits if limit.blocks == fewest)


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _by_registers(limit: Limits, registers_per_warp: int, warps: int) -> ResourceLimit:
    # Before a launch the hardware checks the block's registers as if its warps filled all sub-partitions evenly.
    checked = registers_per_warp * _up(warps, limit.sub_partitions)
    # A warp lives in one sub-partition, so what is left over in each of them is lost.
    warps_per_sm = limit.registers_per_sm // limit.sub_partitions // registers_per_warp * limit.sub_partitions
    blocks = warps_per_sm // warps if checked <= limit.registers_per_block else 0
    return ResourceLimit("registers", blocks, registers_per_warp * warps, limit.registers_per_sm, "registers")


def occupancy(limit: Limits, demand: Demand) -> Occupancy:
    """Residency of `demand` on an SM with `limit`.

    ValueError for a demand that no kernel can have: fewer than one thread or register, negative sizes, or more threads,
    registers per thread, static shared memory or barriers than the architecture knows. A demand whose parts are each
    possible, but that does not fit together, has 0 blocks and says why.
    """
    _check(limit, demand)
    warps = -(-demand.threads // limit.warp_size)
    registers_per_warp = _up(demand.registers * limit.warp_size, limit.register_unit)
    shared = _up(demand.shared + limit.shared_reserved, limit.shared_unit)
    rows = [
        ResourceLimit("warps", limit.warps_per_sm // warps, warps, limit.warps_per_sm, "warps"),
        _by_registers(limit, registers_per_warp, warps),
        _by_shared(limit, demand, shared),
        ResourceLimit("blocks", limit.blocks_per_sm, 1, limit.blocks_per_sm, "blocks"),
    ]
    if demand.barriers and limit.barriers_per_sm is not None:
        blocks = limit.barriers_per_sm // demand.barriers
        rows.append(ResourceLimit("barriers", blocks, demand.barriers, limit.barriers_per_sm, "barriers"))
    refused = "" if min(row.blocks for row in rows) else _refusal(limit, demand, registers_per_warp, warps)
    return Occupancy(limit.arch, demand, warps, registers_per_warp, shared, limit.warps_per_sm, tuple(rows), refused)


def _by_shared(limit: Limits, demand: Demand, allocated: int) -> ResourceLimit:
    blocks = limit.shared_per_sm // allocated if allocated else limit.blocks_per_sm
    allowed = demand.shared <= limit.shared_per_block_optin
    return ResourceLimit("shared memory", blocks if allowed else 0, allocated, limit.shared_per_sm, "bytes")


def _refusal(limit: Limits, demand: Demand, registers_per_warp: int, warps: int) -> str:
    """Why not even one block fits: only shared memory and registers can be the reason, the rest is checked before."""
    if demand.shared > limit.shared_per_block_optin:
        return (
            f"a block may have {limit.shared_per_block_optin:,} bytes of shared memory, this asks for {demand.shared:,}"
        )
    each = limit.registers_per_sm // limit.sub_partitions // registers_per_warp
    return (
        f"{warps} warps of {registers_per_warp:,} registers do not fit in the {limit.registers_per_sm:,} of an SM "
        f"({limit.sub_partitions} sub-partitions hold {each} such warps each)"
    )


def _check(limit: Limits, demand: Demand) -> None:
    for name, value, least, most in (
        ("threads per block", demand.threads, 1, limit.threads_per_block),
        ("registers per thread", demand.registers, 1, limit.registers_per_thread),
        ("static shared memory", demand.static_shared, 0, limit.shared_per_block),
        ("dynamic shared memory", demand.dynamic_shared, 0, limit.shared_per_block_optin),
        ("barriers", demand.barriers, 0, 16),
    ):
        if not least <= value <= most:
            raise ValueError(f"{name}: {value} is not within {least} to {most} ({limit.arch})")


@dataclass(frozen=True)
class Step:
    """The nearest value of one quantity at which the number of blocks changes, all else left as it is.

    `direction` is "up" where there are more blocks, "down" where there are fewer; `change` is the difference to now.
    """

    quantity: str
    direction: str
    value: int
    change: int
    blocks_per_sm: int
    warps_per_sm: int
    occupancy: float


_Set = Callable[[Demand, int], Demand]


def steps(limit: Limits, demand: Demand) -> tuple[Step, ...]:
    """Where registers per thread, shared memory per block and threads per block change the number of blocks.

    A quantity has no step in a direction in which it alone changes nothing. Shared memory is static and dynamic
    together; the search changes the dynamic part first.
    """
    now = occupancy(limit, demand).blocks_per_sm
    quantities: tuple[tuple[str, int, int, int, _Set], ...] = (
        ("registers", demand.registers, 1, limit.registers_per_thread, lambda d, v: replace(d, registers=v)),
        ("shared memory", demand.shared, 0, limit.shared_per_block_optin, _with_shared),
        ("threads", demand.threads, 1, limit.threads_per_block, lambda d, v: replace(d, threads=v)),
    )
    found = []
    for quantity, value, least, most, change in quantities:

        def at(v: int, change: _Set = change) -> Occupancy:
            return occupancy(limit, change(demand, v))

        # Blocks never grow with a demand, so the nearest change is found by halving the interval.
        if value > least and at(least).blocks_per_sm > now:
            found.append(_step(quantity, "up", _last(at, least, value, now), value, at))
        if value < most and at(most).blocks_per_sm < now:
            found.append(_step(quantity, "down", _first(at, value, most, now), value, at))
    return tuple(found)


def _with_shared(demand: Demand, value: int) -> Demand:
    static = min(demand.static_shared, value)
    return replace(demand, static_shared=static, dynamic_shared=value - static)


def _last(at: Callable[[int], Occupancy], low: int, high: int, now: int) -> int:
    """The largest value from `low` to `high` with more blocks than `now`; `low` has more, `high` has not."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if at(middle).blocks_per_sm > now else (low, middle)
    return low


def _first(at: Callable[[int], Occupancy], low: int, high: int, now: int) -> int:
    """The smallest value from `low` to `high` with fewer blocks than `now`; `high` has fewer, `low` has not."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle).blocks_per_sm < now else (middle, high)
    return high


def _step(quantity: str, direction: str, value: int, before: int, at: Callable[[int], Occupancy]) -> Step:
    there = at(value)
    return Step(quantity, direction, value, value - before, there.blocks_per_sm, there.warps_per_sm, there.occupancy)


def register_ladder(limit: Limits, demand: Demand) -> tuple[Occupancy, ...]:
    """The most registers per thread for every number of resident warps that registers alone can bring about."""
    rungs: dict[int, Occupancy] = {}
    for registers in range(limit.registers_per_thread, 0, -1):
        rung = occupancy(limit, replace(demand, registers=registers))
        rungs.setdefault(rung.warps_per_sm, rung)
    return tuple(rung for rung in rungs.values() if rung.blocks_per_sm)


def block_ladder(limit: Limits, demand: Demand) -> tuple[Occupancy, ...]:
    """The same kernel with other sizes of a block, powers of two from one warp to the most that a block may have."""
    sizes = (limit.warp_size << n for n in range(limit.threads_per_block.bit_length()))
    return tuple(occupancy(limit, replace(demand, threads=size)) for size in sizes if size <= limit.threads_per_block)
