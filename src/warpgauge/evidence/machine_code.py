"""What the machine code of a kernel says about its speed. All of it is predicted: nothing here was timed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .location import Location


@dataclass(frozen=True)
class LoadUse:
    """One load and how long until an instruction needs what it fetches.

    `instructions` issue in between, `cycles` are the issue cycles of these; both None where nothing needs the value
    before the load is executed again. `address` is the byte address of the load in the function.
    """

    opcode: str
    space: str
    address: int
    location: Location
    instructions: int | None
    cycles: int | None


@dataclass(frozen=True)
class Segment:
    """A stretch of code between two block-wide barriers, or all of it.

    `slots` are the instructions that a warp issues, `pipes` the cycles that it keeps each pipe of a scheduler busy,
    `walk` the cycles from its first to its last instruction where nothing but its own code holds it up.
    """

    slots: int
    pipes: Mapping[str, float]
    walk: float

    @property
    def busiest(self) -> tuple[str, float]:
        """The pipe that is busy longest, and for how many cycles; the issue slots count as one."""
        return max([("issue", float(self.slots)), *self.pipes.items()], key=lambda row: row[1])


@dataclass(frozen=True)
class Stretch:
    """A loop body without the loops inside it, or the code of a function outside of all loops: one pass of one warp.

    `head` and `end` are the byte addresses of its first and last instruction, `depth` is 0 outside of loops, `parent`
    the index of the loop around it among the stretches. `lines` are the user's lines of its instructions, `mix` counts
    these by class. `issue_cycles` sums the stall counts: what a lone warp needs to issue it if nothing is late.
    `in_flight` are the most global loads that are under way when the warp first waits for one.
    """

    head: int
    end: int
    depth: int
    parent: int | None
    lines: tuple[Location, ...]
    instructions: int
    mix: Mapping[str, int]
    issue_cycles: int
    segments: tuple[Segment, ...]
    loads: tuple[LoadUse, ...] = ()
    in_flight: int = 0

    @property
    def latency_cycles(self) -> float:
        """One pass of a lone warp, waits for results included."""
        return sum(segment.walk for segment in self.segments)

    @property
    def pipes(self) -> dict[str, float]:
        """Cycles that one pass of a warp keeps each pipe of a scheduler busy."""
        out: dict[str, float] = {}
        for segment in self.segments:
            for pipe, cycles in segment.pipes.items():
                out[pipe] = out.get(pipe, 0.0) + cycles
        return out

    def time(self, blocks: float, warps_of_block: float) -> tuple[float, str]:
        """(cycles of one pass, what bounds it) with `blocks` resident on an SM, each with so many warps per scheduler.

        The issue slots and each pipe serve all warps. Warps hide the latency of one another, but within a block only up
        to the next barrier.
        """
        warps = blocks * warps_of_block
        bounds = {"issue": warps * sum(segment.slots for segment in self.segments)}
        bounds |= {pipe: warps * cycles for pipe, cycles in self.pipes.items()}
        alone = 0.0
        for segment in self.segments:
            alone += max(segment.walk, warps_of_block * segment.busiest[1])
        bounds["latency"] = alone
        name = max(bounds, key=lambda key: (bounds[key], key == "issue"))
        return bounds[name], name


@dataclass(frozen=True)
class LocalTraffic:
    """Loads and stores of local memory (spills, and arrays that registers cannot hold) at one line, as instructions."""

    location: Location
    loads: int
    stores: int


@dataclass(frozen=True)
class MachineCode:
    """One kernel's machine code. `stretches` has the code outside of loops first, then the loops by address.

    `code_bytes` is its size; `instruction_cache` the bytes that an SM's nearest instruction cache holds and where that
    figure is from, None where no source is known. `tensor` are the tensor-core opcodes that it has. `entry` is the
    name by which it was asked for.
    """

    entry: str
    arch: str
    code_bytes: int
    instruction_cache: tuple[int, str] | None
    stretches: tuple[Stretch, ...]
    local: tuple[LocalTraffic, ...] = ()
    tensor: tuple[str, ...] = ()

    @property
    def loops(self) -> tuple[Stretch, ...]:
        return self.stretches[1:]

    @property
    def mix(self) -> dict[str, int]:
        out: dict[str, int] = {}
        for stretch in self.stretches:
            for name, count in stretch.mix.items():
                out[name] = out.get(name, 0) + count
        return dict(sorted(out.items(), key=lambda row: (-row[1], row[0])))


@dataclass(frozen=True)
class StretchTime:
    """How a stretch takes part in a predicted time: passes of a warp on average, cycles of one, and what bounds it."""

    stretch: int
    passes: float
    cycles: float
    bound: str


@dataclass(frozen=True)
class PredictedTime:
    """Cycles of a launch as the loop model has it: a prediction, never a measurement.

    `times` is by stretch, for a full SM. `memory_cycles` is the least that moving `memory_bytes` from and to device
    memory takes, 0 where it is not known. `blocks_per_sm` and `warps_per_scheduler` are resident; `waves` fill the
    chip.
    """

    cycles: float
    bound: str
    blocks_per_sm: int
    warps_per_scheduler: float
    waves: float
    times: tuple[StretchTime, ...] = field(default=())
    memory_bytes: float = 0.0
    memory_cycles: float = 0.0
