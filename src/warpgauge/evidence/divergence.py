"""Which lanes of a warp took part in what it executed, and at which branches they went different ways."""

from __future__ import annotations

from dataclasses import dataclass

from .location import Location


@dataclass(frozen=True)
class LineActivity:
    """What was executed at one source line (PTX instructions).

    `warp_instructions` counts an instruction once for each time that a warp executed it, `thread_instructions` once for
    each active lane, `thread_slots` once for each lane of the warp that has a thread. So a block of 20 threads fills
    its warp, and a lane that has returned or waits for others leaves a slot idle. An instruction whose guard (`@p`) is
    false counts as executed: as in smsp__thread_inst_executed, not as in its `pred_on` form.
    """

    location: Location
    warp_instructions: int
    thread_instructions: int
    thread_slots: int


@dataclass(frozen=True)
class BlockActivity:
    """How often warps executed one basic block of the PTX, from its first to its last line there."""

    first_line: int
    last_line: int
    warp_executions: int


@dataclass(frozen=True)
class Split:
    """One time that lanes went different ways. `ways[i]` numbers the way of lane i, None where it was not active."""

    block: tuple[int, int, int]
    warp: int
    ways: tuple[int | None, ...]

    @property
    def paths(self) -> int:
        return len({way for way in self.ways if way is not None})


@dataclass(frozen=True)
class Branch:
    """A branch at which lanes of a warp can go different ways; a chain of compares (a switch) is one branch.

    `executions` counts the times that a warp came to it, `splits` those at which its lanes did not agree. `idle_slots`
    is what that cost: for every instruction that a warp executed, each lane that took no part is charged to the branch
    at which it and the first active lane last went different ways. `worst` is the split with the most ways, of those
    the one that leaves the most lanes out of its largest group.
    """

    location: Location
    executions: int
    splits: int
    idle_slots: int
    worst: Split | None
    inlined: tuple[Location, ...] = ()
    ptx_line: int = 0

    @property
    def paths(self) -> int:
        """Most ways that lanes of one warp took; 1 where they always agreed."""
        return self.worst.paths if self.worst else 1
