"""What each warp executed with how many lanes, where its lanes went different ways, and whom the idle ones waited for.

By hand from the definitions (docs/virtual-gpu.md), lane by lane:

* A branch is a guarded bra, ret or exit, or a brx. A guarded bra whose block only compares, that has the source point
  of the guarded bra before it and is reached from nowhere else, belongs to that one.
* A lane's way is the block where it goes on; blocks of one unguarded bra are looked through.
* An idle lane is charged to the branch at which it and the first active lane last took different ways.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from warpgauge.ptx import Instruction, Kernel, Symbol

LEAVES = -1


@dataclass
class BranchCount:
    """`worst` is (ways, lanes outside the largest group, block, warp, way by lane), None where nothing split."""

    executions: int = 0
    splits: int = 0
    idle_slots: int = 0
    worst: tuple[int, int, tuple[int, int, int], int, tuple[int | None, ...]] | None = None


@dataclass
class DivergenceTally:
    """`branches` by the PTX line of the first branch; instruction counts over the launch."""

    branches: dict[int, BranchCount] = field(default_factory=dict)
    warp_instructions: int = 0
    thread_slots: int = 0


def is_guarded_bra(i: Instruction) -> bool:
    return i.opcode == "bra" and i.guard is not None


def is_branch(i: Instruction) -> bool:
    return i.opcode == "brx" or (i.opcode in ("bra", "ret", "exit") and i.guard is not None)


def only_compares(i: Instruction) -> bool:
    return i.opcode == "setp" or (i.opcode in ("and", "or", "xor", "not", "mov") and i.modifiers[-1:] == ("pred",))


class Flow:
    """The kernel's blocks as a graph without blocks that only branch on."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        count = len(kernel.blocks)
        self.last = [b.instructions[-1] for b in kernel.blocks]
        start = {b.instructions[0].index: b.index for b in kernel.blocks}
        self.label = {name: start.get(at, LEAVES) for name, at in kernel.labels.items()}
        self.next = [n + 1 if n + 1 < count else LEAVES for n in range(count)]
        before: dict[int, set[int]] = {n: set() for n in range(count)}
        for n in range(count):
            if self.passes_on(n) and n:
                continue
            for target in self.targets(n):
                if target != LEAVES:
                    before[target].add(n)
        self.parent: dict[int, int] = {}
        for n in range(1, count):
            if not is_guarded_bra(self.last[n]) or len(before[n]) != 1:
                continue
            (p,) = before[n]
            same_place = self.last[p].chain == self.last[n].chain
            compares = all(only_compares(i) for i in kernel.blocks[n].instructions[:-1])
            if p < n and is_guarded_bra(self.last[p]) and same_place and compares:
                self.parent[n] = p

    def passes_on(self, n: int) -> bool:
        body = self.kernel.blocks[n].instructions
        return len(body) == 1 and body[0].opcode == "bra" and body[0].guard is None

    def through(self, n: int) -> int:
        """Where control that comes to block n really goes on."""
        visited: list[int] = []
        while n != LEAVES and self.passes_on(n) and n not in visited:
            visited.append(n)
            n = self.label[_label(self.last[n])]
        return n

    def targets(self, n: int) -> set[int]:
        last = self.last[n]
        out: set[int] = set()
        if last.opcode == "bra":
            out.add(self.label[_label(last)])
        elif last.opcode == "brx":
            out.update(self.label[name] for name in self.kernel.branch_targets[_label(last)])
        if last.opcode not in ("bra", "brx", "ret", "exit", "trap") or (last.guard and last.opcode != "brx"):
            out.add(self.next[n])
        return {self.through(t) for t in out}

    def opening(self, n: int) -> int:
        """The block whose branch the one of block n belongs to."""
        while n in self.parent:
            n = self.parent[n]
        return n


def _label(i: Instruction) -> str:
    return next(o.name for o in i.operands if isinstance(o, Symbol))


_FLOWS: dict[int, tuple[Kernel, Flow]] = {}


def flow_of(kernel: Kernel) -> Flow:
    if id(kernel) not in _FLOWS:
        _FLOWS.clear()
        _FLOWS[id(kernel)] = kernel, Flow(kernel)
    return _FLOWS[id(kernel)][1]


class Paths:
    """One warp from its start to its end. `threads` are the lanes that have one."""

    def __init__(
        self, kernel: Kernel, tally: DivergenceTally, place: tuple[int, int, int], number: int, threads: np.ndarray
    ) -> None:
        self.kernel, self.tally, self.place, self.number = kernel, tally, place, number
        self.threads = set(np.flatnonzero(threads).tolist())
        self.flow = flow_of(kernel)
        self.parted: dict[frozenset[int], int] = {}  # two lanes -> the block of the branch that parted them last
        self.visits: Counter[int] = Counter()
        self.visit: dict[tuple[int, int], int] = {}  # (opening block, lane) -> the visit that the lane takes part in
        self.taken: dict[tuple[int, int], int | None] = {}

    def _count(self, opening: int) -> BranchCount:
        return self.tally.branches.setdefault(self.flow.last[opening].ptx_line, BranchCount())

    def execute(self, number: int, lanes: np.ndarray) -> None:
        """The block's instructions, by these lanes."""
        active = np.flatnonzero(lanes).tolist()
        length = len(self.kernel.blocks[number].instructions)
        self.tally.warp_instructions += length
        self.tally.thread_slots += length * len(self.threads)
        for lane in self.threads - set(active):
            blamed = self.parted.get(frozenset((active[0], lane)))
            if blamed is not None:
                self._count(blamed).idle_slots += length

    def leave(self, number: int, lanes: np.ndarray, targets: list[int]) -> None:
        """Lanes end the block with a branch and go on at `targets`."""
        if not is_branch(self.flow.last[number]):
            return
        opening = self.flow.opening(number)
        active = np.flatnonzero(lanes).tolist()
        if number == opening:
            self._count(opening).executions += 1
            self.visits[opening] += 1
            for lane in active:
                self.visit[opening, lane] = self.visits[opening]
                self.taken[opening, lane] = None
        ways = {lane: self.flow.through(targets[lane]) for lane in active}
        if len(set(ways.values())) == 1:
            return
        for a in active:
            for b in active:
                if ways[a] != ways[b]:
                    self.parted[frozenset((a, b))] = opening
        count = self._count(opening)
        count.splits += self.taken[opening, active[0]] is None
        self.taken.update({(opening, lane): way for lane, way in ways.items()})
        visit = self.visit[opening, active[0]]
        together = [lane for lane in range(32) if self.visit.get((opening, lane)) == visit]
        self._keep_worst(count, {lane: self.taken[opening, lane] for lane in together})

    def _keep_worst(self, count: BranchCount, ways: dict[int, int | None]) -> None:
        sizes = Counter(ways.values())
        key = len(sizes), len(ways) - max(sizes.values())
        if count.worst is None or key > count.worst[:2]:
            order = list(dict.fromkeys(ways[lane] for lane in sorted(ways)))
            shown = tuple(order.index(ways[lane]) if lane in ways else None for lane in range(32))
            count.worst = (*key, self.place, self.number, shown)
