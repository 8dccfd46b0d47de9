"""Block-wide barriers: bar and barrier with numbers, thread counts, arrive forms and reductions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from warpgauge.ptx import Instruction

from .formats import Words
from .memory import OracleFault
from .state import Operands, Warp


@dataclass
class Waiting:
    warp: Warp
    instruction: Instruction
    lanes: np.ndarray
    following: int
    flags: Words | None


@dataclass
class Barrier:
    """`expected` None means every lane of the block that has not exited."""

    expected: int | None
    arrived: int = 0
    waiting: list[Waiting] = field(default_factory=list)


class Barriers:
    """The barriers of one block. A warp whose running lanes all come counts as 32 threads, as hardware counts it."""

    def __init__(self, operands: Operands, warps: list[Warp]) -> None:
        self.operands = operands
        self.warps = warps
        self.open: dict[int, Barrier] = {}

    def arrive(self, w: Warp, i: Instruction, lanes: np.ndarray) -> None:
        number, barrier = self._barrier(w, i, lanes, 0)
        barrier.arrived += self._weight(w, lanes)
        self._complete(number)

    def wait(self, w: Warp, i: Instruction, lanes: np.ndarray, following: int) -> None:
        reduces = "red" in i.modifiers
        number, barrier = self._barrier(w, i, lanes, 1 if reduces else 0)
        flags = self.operands.reader(i.operands[-1], "pred")(w) if reduces else None
        barrier.arrived += self._weight(w, lanes)
        barrier.waiting.append(Waiting(w, i, lanes, following, flags))
        self._complete(number)

    def settle(self) -> bool:
        """Check all barriers again, since lanes may have exited. True if any completed."""
        completed = [self._complete(number) for number in list(self.open)]
        return any(completed)

    @staticmethod
    def _weight(w: Warp, lanes: np.ndarray) -> int:
        return 32 if (lanes == w.alive).all() else int(lanes.sum())

    def _barrier(self, w: Warp, i: Instruction, lanes: np.ndarray, first: int) -> tuple[int, Barrier]:
        given = i.operands[first : len(i.operands) - first]
        numbers = [set(self.operands.reader(o, "u32")(w)[lanes].tolist()) for o in given]
        if any(len(values) != 1 for values in numbers):
            raise OracleFault(f"lanes of a warp name different barriers (PTX line {i.ptx_line})")
        number = numbers[0].pop() if numbers else 0
        expected = numbers[1].pop() if len(numbers) > 1 else None
        barrier = self.open.setdefault(number, Barrier(expected))
        if barrier.expected != expected:
            raise OracleFault(f"barrier {number} is used with different thread counts (PTX line {i.ptx_line})")
        return number, barrier

    def _complete(self, number: int) -> bool:
        barrier = self.open[number]
        if barrier.expected is not None:
            if barrier.arrived < barrier.expected:
                return False
        else:
            come = sum(int(x.lanes.sum()) for x in barrier.waiting)
            if come < sum(int(w.alive.sum()) for w in self.warps):
                return False
        del self.open[number]
        self._reduce(barrier)
        for x in barrier.waiting:
            lanes = x.warp.released.get(x.following, np.zeros(32, bool)) | x.lanes
            if x.following < 0:
                x.warp.alive &= ~x.lanes
            else:
                x.warp.released[x.following] = lanes
        return True

    def _reduce(self, barrier: Barrier) -> None:
        flags = [x.flags[x.lanes] for x in barrier.waiting if x.flags is not None]
        if not flags:
            return
        every = np.concatenate(flags)
        for x in barrier.waiting:
            if "popc" in x.instruction.modifiers:
                result: Words = np.full(32, int(every.sum()), np.uint64)
            else:
                result = np.full(32, every.all() if "and" in x.instruction.modifiers else every.any())
            kind = "u32" if "popc" in x.instruction.modifiers else "pred"
            self.operands.writer(x.instruction.operands[0], kind)(x.warp, result, x.lanes)
