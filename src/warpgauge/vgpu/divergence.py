"""Code that counts what each basic block executed, and how lanes of a warp part at branches."""

from __future__ import annotations

from collections.abc import Sequence

from warpgauge import ptx
from warpgauge.ptx.decisions import Decision, decisions, way

from .emit import Emitter, Val, reads_clock
from .functions import Program
from .layout import ACTIVITY_ROWS, CHAIN_INTS, CTX, LANES, PARTED_PAIRS
from .runtime import divergence as rt_divergence

_FRAME = ["ptr %ctx", "ptr %blk", "i32 %warp"]


def splits(program: Program) -> tuple[Decision, ...]:
    """The decisions of a kernel and of the functions that it calls; a call through a pointer may be one too."""
    calls = [b for b, targets in program.callees.items() if len(targets) > 1 or _guarded_call(program.kernel, b)]
    return decisions(program.kernel, calls)


def _guarded_call(kernel: ptx.Kernel, block: int) -> bool:
    return kernel.blocks[block].instructions[-1].guard is not None


def parted_bytes(found: Sequence[Decision]) -> int:
    """What a warp needs to remember where its lanes parted; see `layout`."""
    return PARTED_PAIRS + 4 * CHAIN_INTS * sum(d.chained for d in found) if found else 0


class Divergence(Emitter):
    """Part of the kernel's code generator."""

    decision_of: dict[int, Decision]
    chains: dict[int, int]

    def decide(self, found: Sequence[Decision]) -> None:
        assert len(found) < 1 << 16, "where lanes parted is kept in 16 bits"
        self.decision_of = {block: d for d in found for block in d.blocks}
        self.chains = {d.number: n for n, d in enumerate(d for d in found if d.chained)}
        self.clocked = reads_clock(self.kernel)

    # -- what blocks execute -------------------------------------------------------------------------------------
    # Between two dispatches the active lanes stay the same, so only they are looked at there; a block adds one to its
    # counter and its length to what these lanes have executed.
    def begin_activity(self) -> None:
        """%there: the lanes of this warp that have a thread; %activity: where its blocks are counted."""
        threads = self.context("NTHREADS")
        first = self.let(f"shl i32 %warp, {LANES.bit_length() - 1}", "b32", True)
        wide = self.let(f"zext i32 {first.name} to i64", "b64", True)
        left = self.let(f"sub i64 {threads.name}, {wide.name}", "b64", True)
        self.emit(f"%partial = icmp slt i64 {left.name}, {LANES}")
        bit = self.let(f"shl i64 1, {left.name}", "b64", True)
        below = self.let(f"sub i64 {bit.name}, 1", "b64", True)
        some = self.let(f"trunc i64 {below.name} to i32", "b32", True)
        self.emit(f"%there = select i1 %partial, i32 {some.name}, i32 -1")
        more = self.let(f"select i1 %partial, i64 {ACTIVITY_ROWS * self._row_bytes}, i64 0", "b64", True)
        self.emit(f"%activity = getelementptr i8, ptr %counts, i64 {more.name}")
        self.emit("%counts.slot = alloca ptr")
        self.emit("%done.slot = alloca i64")
        self.emit("store i64 0, ptr %done.slot")
        self.emit("store i32 %there, ptr %mact.slot")

    @property
    def _row_bytes(self) -> int:
        return 8 * len(self.kernel.blocks)

    def begin_lanes(self, mask: str) -> None:
        """Lanes of `mask` are chosen to run: their number says where blocks are counted."""
        active = self.intrinsic("ctpop", "b32", Val(mask, "b32", True))
        wide = self.let(f"zext i32 {active.name} to i64", "b64", True)
        row = self.let(f"mul i64 {wide.name}, {self._row_bytes}", "b64", True)
        at = self.let(f"getelementptr i8, ptr %activity, i64 {row.name}", "b64", True)
        self.emit(f"store ptr {at.name}, ptr %counts.slot")

    def end_lanes(self, label: str) -> None:
        """Charge what the lanes that were chosen last have executed to whatever keeps the others from it."""
        done = self.let("load i64, ptr %done.slot", "b64", True)
        active = self.let("load i32, ptr %mact.slot", "b32", True)
        self.emit("store i64 0, ptr %done.slot")
        if self.clocked:
            number = self.intrinsic("ctpop", "b32", active)
            wide = self.let(f"zext i32 {number.name} to i64", "b64", True)
            more = self.let(f"mul i64 {wide.name}, {done.name}", "b64", True)
            at = self.let(f"getelementptr i64, ptr %ctx, i64 {CTX['CLOCK']}", "b64", True)
            self.add_to(at.name, more.name)
        if not self.decision_of:
            return
        waiting = self.let(f"xor i32 {active.name}, %there", "b32", True)
        some = self.let(f"icmp ne i32 {waiting.name}, 0", "pred", True)
        any_ = self.let(f"icmp ne i64 {done.name}, 0", "pred", True)
        both = self.let(f"and i1 {some.name}, {any_.name}", "pred", True)
        self.emit(f"br i1 {both.name}, label %{label}.idle, label %{label}.on")
        self.lines.append(f"{label}.idle:")
        arguments = [*_FRAME, f"i32 {active.name}", f"i32 {waiting.name}", f"i64 {done.name}"]
        self.call(self.library.need(rt_divergence.idle), "void", arguments)
        self.emit(f"br label %{label}.on")
        self.lines.append(f"{label}.on:")

    def tally(self, count: int) -> None:
        """The active lanes execute this block: `count` instructions."""
        counts = self.let("load ptr, ptr %counts.slot", "b64", True)
        at = self.let(f"getelementptr i64, ptr {counts.name}, i64 {self.block_index}", "b64", True)
        self.add_to(at.name, "1")
        self.add_to("%done.slot", str(count))

    # -- branches ------------------------------------------------------------------------------------------------
    def way(self, target: int) -> int:
        """The block that `target` leads to."""
        return way(self.kernel, target)

    def every_lane(self, number: int) -> Val:
        return self.vector(self.const(number, "b32"))

    def open_decision(self) -> None:
        """Lanes come to a branch: note who they are, if others follow that decide with it."""
        decision = self.decision_of[self.block_index]
        if decision.chained and decision.root == self.block_index:
            symbol = self.library.need(rt_divergence.open_chain)
            self.call(symbol, "void", [*_FRAME, f"i32 {self.chains[decision.number]}", f"i32 {self.mact}"])

    def part(self, mask: str, target: int, other: int) -> None:
        """Lanes of `mask` go to one block, the other active ones to another."""
        decision = self.decision_of[self.block_index]
        one, two = self.way(target), self.way(other)
        if one == two:
            return
        if decision.chained:
            self.part_ways(self.select(self.lanes(mask), self.every_lane(one), self.every_lane(two)))
            return
        rest = self.let(f"xor i32 {mask}, {self.mact}", "b32", True)
        numbers = (decision.number, mask, rest.name, one, two)
        symbol = self.library.need(rt_divergence.split)
        self.call(symbol, "void", [*_FRAME, *(f"i32 {n}" for n in numbers)])

    def part_ways(self, ways: Val) -> None:
        """Each active lane goes on at its block of `ways`."""
        decision = self.decision_of[self.block_index]
        numbers = [f"i32 {decision.number}", f"i32 {self.chains.get(decision.number, -1) + 1}"]
        symbol = self.library.need(rt_divergence.split_many)
        self.call(symbol, "void", [*_FRAME, *numbers, f"i32 {self.mact}", f"{ways.type} {ways.name}"])
