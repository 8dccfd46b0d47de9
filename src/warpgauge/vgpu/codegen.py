"""A kernel's control flow as one LLVM function, `warp_body`: run a warp until its lanes wait, end or spend their slice.

Every basic block has a mask of pending lanes; the lowest pending block runs next. That order reconverges compiled code,
because compilers lay out the join after both sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from warpgauge import ptx
from warpgauge.ptx import Block, Instruction
from warpgauge.ptx.cfg import is_block_barrier, is_warp_sync

from .calls import Calls
from .divergence import splits
from .emit import Unsupported, Val
from .frame import Frame
from .functions import Program
from .joins import warp_joins
from .keep import Keeping
from .layout import CTX, LANES, STOP_TRAP, STOP_UNSUPPORTED, WARP
from .restricted import Library
from .rows import find_row, is_pure
from .rows.control import reduction_result
from .runtime import barrier as rt_barrier
from .runtime import schedule as rt_schedule
from .state import state_layout

# Nothing that a warp executes touches its state, or the counts of blocks, but by these pointers: loops can keep both in
# registers.
_SIGNATURE = "ptr %ctx, ptr %blk, ptr noalias %state, i32 %warp, ptr noalias %counts"


class KernelCode(Calls, Keeping):
    """Generates `warp_body`. `unsupported` collects instructions without a row (index -> reason)."""

    def __init__(self, program: Program, frame: Frame, library: Library, slots: Mapping[str, int]) -> None:
        super().__init__(program.kernel, frame, library)
        self.program = program
        self.decide(splits(program))
        self.slots = dict(slots)
        self.unsupported: dict[int, str] = {}
        self.hoisted: set[int] = set()
        self.after_barrier = ptx.after_barriers(self.kernel.blocks)
        self.joins = warp_joins(self.kernel.blocks)

    # -- the function ------------------------------------------------------------------------------------------
    def generate(self) -> str:
        """LLVM IR of warp_body."""
        self._entry()
        self._dispatch()
        for block in self.kernel.blocks:
            self._block(block)
        self._exit_block()
        areas = [f"  {name} = alloca [{size} x i8], align 64" for name, size in self.areas.items()]
        body = "\n".join((*areas, *self.lines))
        return f"define i32 @warp_body({_SIGNATURE}) noinline nounwind {{\nentry:\n{body}\n}}\n"

    def _entry(self) -> None:
        self.emit("%mact.slot = alloca i32")
        for area in ("%scratch", "%scratch2", "%scratch3"):
            self.emit(f"{area} = alloca [{8 * LANES} x i64], align 64")
        sites = self.context("SITES")
        self.emit(f"%sites = inttoptr i64 {sites.name} to ptr")
        params = self.context("PARAMS")
        self.emit(f"%params = inttoptr i64 {params.name} to ptr")
        tids = self.context("TIDS")
        base = self.let(f"inttoptr i64 {tids.name} to ptr", "b64", True)
        row = self.let(f"mul i32 %warp, {3 * LANES * 4}", "b32", True)
        for position, axis in enumerate("xyz"):
            at = self.let(f"add i32 {row.name}, {position * LANES * 4}", "b32", True)
            cell = self.let(f"getelementptr i8, ptr {base.name}, i32 {at.name}", "b64", True)
            self.emit(f"%tid{axis} = load <{LANES} x i32>, ptr {cell.name}, align 64")
        self.begin_activity()
        self._hoist_uniform()
        self.emit("br label %dispatch")

    def _hoist_uniform(self) -> None:
        """Registers written once, by pure code from parameters, constants and block indices: compute them up front."""
        defined: dict[str, int] = {}
        for i in self.kernel.instructions:
            for name in ptx.definitions(i):
                defined[name] = defined.get(name, 0) + 1
        for i in self.kernel.instructions:
            names = ptx.definitions(i)
            if i.guard or not names or any(defined[n] != 1 for n in names) or not is_pure(i):
                continue
            if not ptx.usages(i) <= self.entry_values.keys() or not all(map(self._uniform_operand, i.operands[1:])):
                continue
            row = find_row(i)
            if row is None:
                continue
            before = len(self.lines)
            try:
                row.emit(self, i)
            except Unsupported:
                del self.lines[before:]
                self.current.clear()
                continue
            if all(self.current[n].uniform for n in names):
                self.entry_values.update({n: self.current[n] for n in names})
                self.hoisted.add(i.index)
            else:
                del self.lines[before:]
            self.current.clear()

    @staticmethod
    def _uniform_operand(operand: ptx.Operand) -> bool:
        if isinstance(operand, ptx.Special):
            return operand.name.split(".")[0] in ("ntid", "ctaid", "nctaid", "nwarpid")
        return not isinstance(operand, ptx.Vector)

    def _dispatch(self) -> None:
        self.lines.append("leave:")
        self.end_lanes("leave")
        self.emit("ret i32 1")
        self.lines.append("dispatch:")
        self.end_lanes("dispatch")
        pop = self.library.need(rt_barrier.pop)
        next_ = self.call(pop, "i64", ["ptr %state"])
        self.emit(f"%none = icmp eq i64 {next_}, -1")
        self.emit("br i1 %none, label %finished, label %chosen")
        self.lines.append("finished:")
        self.emit("ret i32 0")
        self.lines.append("chosen:")
        self.emit(f"%chosen.mask = trunc i64 {next_} to i32")
        self.emit("store i32 %chosen.mask, ptr %mact.slot")
        self.begin_lanes("%chosen.mask")
        self.emit(f"%chosen.block = lshr i64 {next_}, 32")
        count = len(self.kernel.blocks)
        cases = " ".join(f"i64 {n}, label %B{n}" for n in range(count))
        self.emit(f"switch i64 %chosen.block, label %B{count} [ {cases} ]")

    # -- blocks ------------------------------------------------------------------------------------------------
    def _block(self, block: Block) -> None:
        self.current, self.lying, self.block_index, self.guard = {}, {}, block.index, None
        self.last_use = {name: i.index for i in block.instructions for name in ptx.usages(i)}
        self.last_use |= dict.fromkeys(block.live_out, block.instructions[-1].index)
        self.lines.append(f"B{block.index}:")
        self.mact = self.let("load i32, ptr %mact.slot", "b32", True).name
        self.active = self.lanes(self.mact)
        before = self.kernel.blocks[block.index - 1].instructions[-1] if block.index else None
        if before is not None and is_block_barrier(before) and "red" in before.modifiers:
            reduction_result(self, before)
            self.guard = None
        self.enter_block(block)
        if block.index in self.joins.values():
            self._note_join(block)
        if is_warp_sync(block.instructions[0]):
            self._gate(block.instructions[0])
        self.tally(len(block.instructions))
        for i in block.instructions[:-1]:
            if not self._instruction(i):
                return
        self._terminator(block)

    def _gate(self, i: Instruction) -> None:
        """Hold lanes back until those that the instruction's mask names have come."""
        member = self.vector(self.src(ptx.member_mask(i), "b32"))
        symbol = self.library.need(rt_barrier.gate)
        arguments = [
            "ptr %ctx", "ptr %blk", "ptr %state", "i32 %warp", f"i32 {i.index}", f"{member.type} {member.name}",
            f"i32 {self._guarded_mask(i)}", f"i32 {self.mact}", f"i32 {self.block_index}",
            f"i32 {_form(i)}", f"i32 {self.joins.get(self.block_index, -1) + 1}",
        ]  # fmt: skip
        go = self.call(symbol, "i1", arguments)
        label = f"B{self.block_index}.go"
        self.emit(f"br i1 {go}, label %{label}, label %dispatch")
        self.lines.append(f"{label}:")

    def _note_join(self, block: Block) -> None:
        """Lanes that others wait for at a warp-level instruction, and that come here instead, have passed it by."""
        join, absent, passed = (self._state_word(name) for name in ("JOIN", "ABSENT", "PASSED"))
        here = self.let(f"icmp eq i64 {join[1]}, {block.index + 1}", "pred", True)
        lanes = self.let(f"zext i32 {self.mact} to i64", "b64", True)
        missed = self.let(f"and i64 {absent[1]}, {lanes.name}", "b64", True)
        chosen = self.let(f"select i1 {here.name}, i64 {missed.name}, i64 0", "b64", True)
        every = self.let(f"or i64 {passed[1]}, {chosen.name}", "b64", True)
        self.emit(f"store i64 {every.name}, ptr {passed[0]}")

    def _state_word(self, name: str) -> tuple[str, str]:
        """(address, value) of a word of the warp's state."""
        at = self.let(f"getelementptr i64, ptr %state, i64 {WARP[name]}", "b64", True)
        return at.name, self.let(f"load i64, ptr {at.name}", "b64", True).name

    def _guarded_mask(self, i: Instruction) -> str:
        self.guard = self._guard(i)
        mask = self.mask()
        self.guard = None
        return mask

    def _guard(self, i: Instruction) -> Val | None:
        if i.guard is None:
            return None
        return self.src(ptx.Register(i.guard.register, i.guard.negated), "pred")

    def _instruction(self, i: Instruction) -> bool:
        """Emit one instruction; False when nothing after it can run."""
        if i.index in self.hoisted:
            return True
        row = find_row(i)
        self.guard, self.index = self._guard(i), i.index
        try:
            if row is None:
                raise Unsupported("no row in the instruction table")
            before = len(self.lines)
            row.emit(self, i)
        except Unsupported as why:
            if row is not None:
                del self.lines[before:]
            return self._stop_here(i, str(why))
        except (AssertionError, KeyError, ValueError) as error:
            # A form that the row did not expect concerns this instruction, not the whole kernel.
            del self.lines[before:]
            return self._stop_here(i, f"a form that its row cannot read: {error or type(error).__name__}")
        finally:
            self.guard = None
        return True

    def _stop_here(self, i: Instruction, why: str) -> bool:
        """Execution that reaches an unsupported instruction stops, with its place."""
        self.unsupported[i.index] = why
        mask = self._guarded_mask(i)
        self.stop(i, mask, STOP_UNSUPPORTED, f"I{i.index}")
        return i.guard is not None

    def stop(self, i: Instruction, mask: str, code: int, label: str, *, ends: bool = True) -> None:
        """Lanes of `mask`, if any, stop the launch here. `ends`: the instruction's other lanes are none."""
        some = self.let(f"icmp ne i32 {mask}, 0", "pred", True)
        self.emit(f"br i1 {some.name}, label %{label}.stop, label %{label}.on")
        self.lines.append(f"{label}.stop:")
        for slot, value in (
            ("STOP", f"{code}"), ("STOP_INS", f"{i.index}"), ("STOP_WARP", "%warp"), ("STOP_MASK", mask),
        ):  # fmt: skip
            wide = value if not value.startswith("%") else self.let(f"zext i32 {value} to i64", "b64", True).name
            at = self.let(f"getelementptr i64, ptr %ctx, i64 {CTX[slot]}", "b64", True)
            self.emit(f"store i64 {wide}, ptr {at.name}")
        self.emit("br label %leave")
        self.lines.append(f"{label}.on:")
        if ends and i.guard is None:
            self.emit("unreachable")

    def _store_live(self, block: Block) -> None:
        """Write registers that later blocks read into the state, active lanes only."""
        names = sorted((block.defs & block.live_out) - self.entry_values.keys())
        self.keep_all([name for name in names if name in self.current or name in self.lying])

    # -- ends of blocks ----------------------------------------------------------------------------------------
    def _terminator(self, block: Block) -> None:
        i = block.instructions[-1]
        following = block.index + 1
        if i.opcode == "bra":
            taken = block.successors[0] if len(block.successors) > bool(i.guard) else len(self.kernel.blocks)
            condition = self._guarded_mask(i) if i.guard else self.mact
            self._store_live(block)
            if i.guard:
                self.open_decision()
            self._branch(condition, taken, following)
        elif i.opcode == "ret" and self.program.home.get(block.index):
            mask = self._guarded_mask(i)
            self._store_live(block)
            self.return_lanes(self.program.functions[self.program.home[block.index]], mask)
            if i.guard:
                self._rest(mask, following)
                self.part(mask, len(self.kernel.blocks), following)
            self.emit("br label %dispatch")
        elif self.program.callees.get(block.index):
            mask = self._guarded_mask(i)
            self._store_live(block)
            self.call_functions(block, mask)
            if i.guard:
                self._rest(mask, following)
            self.emit("br label %dispatch")
        elif i.opcode in ("ret", "exit"):
            mask = self._guarded_mask(i)
            self._store_live(block)
            self._leave(mask, block.index + 1 if self._passes_by(block) else 0)
            if i.guard:
                self._rest(mask, following)
                self.part(mask, len(self.kernel.blocks), following)
            self.emit("br label %dispatch")
        elif i.opcode == "trap":
            mask = self._guarded_mask(i)
            self._store_live(block)
            self.stop(i, mask, STOP_TRAP, f"I{i.index}")
            if i.guard:
                self._goto(following)
        elif i.opcode == "brx":
            self._indexed_branch(block)
        elif is_block_barrier(i):
            if self._instruction(i):
                mask = self._guarded_mask(i)
                self._store_live(block)
                if i.guard:
                    self._rest(mask, following)
                self.emit("br label %dispatch")
        elif self._instruction(i):
            self._store_live(block)
            self._goto(following)

    def _passes_by(self, block: Block) -> bool:
        """Whether lanes that end here may have left a barrier out.

        Wherever the compiler lays it: an exit to which no barrier leads is an early return.
        """
        return len(block.instructions) > 1 and (bool(self.program.functions) or block.index in self.after_barrier)

    def _leave(self, mask: str, past: int) -> None:
        symbol = self.library.need(rt_barrier.warp_exit)
        self.call(symbol, "void", [*_FRAME, f"i32 {mask}", f"i64 {past}"])

    def _rest(self, mask: str, target: int) -> None:
        """Pend the active lanes outside `mask`."""
        inverse = self.let(f"xor i32 {mask}, -1", "b32", True)
        rest = self.let(f"and i32 {inverse.name}, {self.mact}", "b32", True)
        self._pend(target, rest.name)

    def _pend(self, target: int, mask: str) -> None:
        self.call(self.library.need(rt_barrier.pend), "void", ["ptr %state", f"i32 {target}", f"i32 {mask}"])

    def _goto(self, target: int) -> None:
        """All active lanes go to `target`: straight there if no other lanes of the warp are pending."""
        label = self.fresh("go")[1:]
        if target <= self.block_index:
            at, old = self._state_word("FUEL")
            left = self.let(f"sub i64 {old}, 1", "b64", True)
            self.emit(f"store i64 {left.name}, ptr {at}")
            spent = self.let(f"icmp slt i64 {left.name}, 0", "pred", True)
            self.emit(f"br i1 {spent.name}, label %{label}.spent, label %{label}.fuel")
            self.lines.append(f"{label}.spent:")
            # Others of the warp first: they may hold what these lanes spin for.
            floor = self.let(f"getelementptr i64, ptr %state, i64 {WARP['FLOOR']}", "b64", True)
            self.emit(f"store i64 {self.block_index + 1}, ptr {floor.name}")
            self._pend(target, self.mact)
            self.emit("br label %leave")
            self.lines.append(f"{label}.fuel:")
        (_, pending), (_, held) = self._state_word("NPENDING"), self._state_word("NDEFERRED")
        waiting = self.let(f"or i64 {pending}, {held}", "b64", True)
        alone = self.let(f"icmp eq i64 {waiting.name}, 0", "pred", True)
        self.emit(f"br i1 {alone.name}, label %B{target}, label %{label}.pend")
        self.lines.append(f"{label}.pend:")
        self._pend(target, self.mact)
        self.emit("br label %dispatch")

    def _branch(self, condition: str, taken: int, following: int) -> None:
        if condition == self.mact:
            self._goto(taken)
            return
        label = self.fresh("br")[1:]
        all_ = self.let(f"icmp eq i32 {condition}, {self.mact}", "pred", True)
        self.emit(f"br i1 {all_.name}, label %{label}.all, label %{label}.some")
        self.lines.append(f"{label}.all:")
        self._goto(taken)
        self.lines.append(f"{label}.some:")
        none = self.let(f"icmp eq i32 {condition}, 0", "pred", True)
        self.emit(f"br i1 {none.name}, label %{label}.none, label %{label}.both")
        self.lines.append(f"{label}.none:")
        self._goto(following)
        self.lines.append(f"{label}.both:")
        self._pend(taken, condition)
        self._rest(condition, following)
        self.part(condition, taken, following)
        self.emit("br label %dispatch")

    def _indexed_branch(self, block: Block) -> None:
        i = block.instructions[-1]
        index = self.vector(self.src(i.operands[0], "b32"))
        mask = self._guarded_mask(i)
        self._store_live(block)
        # An index past the table is undefined in PTX; such lanes take the last entry, so that none is lost.
        limit = self.const(len(block.successors) - 1, "b32")
        index = self.intrinsic("umin", "b32", index, limit)
        ways = self.every_lane(self.way(block.index + 1))
        for position, target in enumerate(block.successors):
            hit = self.op("icmp eq {T} {a}, {b}", "b32", index, self.const(position, "b32"), out="pred")
            chosen = self.let(f"and i32 {self.bits(hit)}, {mask}", "b32", True)
            self._pend(target, chosen.name)
            ways = self.select(self.lanes(chosen.name), self.every_lane(self.way(target)), ways)
        if i.guard:
            self._rest(mask, block.index + 1)
        self.part_ways(ways)
        self.emit("br label %dispatch")

    def _exit_block(self) -> None:
        """Where control ends up past the last instruction."""
        count = len(self.kernel.blocks)
        self.lines.append(f"B{count}:")
        self.mact = self.let("load i32, ptr %mact.slot", "b32", True).name
        self._leave(self.mact, count)
        self.emit("br label %dispatch")


_FRAME = ("ptr %ctx", "ptr %blk", "ptr %state", "i32 %warp")


def _form(i: Instruction) -> int:
    """How an instruction gathers lanes, as the gate knows it."""
    if ptx.is_aligned(i):
        return rt_barrier.ALIGNED
    return rt_barrier.WARP_BARRIER if i.opcode == "bar" else rt_barrier.EXCHANGE


def kernel_code(program: Program, frame: Frame, constants: Mapping[str, object]) -> tuple[str, KernelCode]:
    """LLVM IR of one kernel's warp_body; `code.library` holds the runtime functions it and the scheduler need."""
    rows = tuple(f.return_register for f in program.functions.values())
    layout, slots = state_layout(program.kernel, rows)
    library = Library({**constants, **layout})
    code = KernelCode(program, frame, library, slots)
    text = code.generate()
    for function in (rt_schedule.run_range, rt_schedule.block_init, rt_schedule.block_step):
        library.need(function)
    declares = "\n".join(sorted({*code.declares, *library.declarations}))
    return f"{declares}\n{text}", code
