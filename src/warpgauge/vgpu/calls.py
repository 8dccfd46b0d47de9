"""Code for function calls and returns (see `functions` for how they are laid out)."""

from __future__ import annotations

from collections.abc import Iterator

from warpgauge import ptx

from .divergence import Divergence
from .emit import Emitter, Val
from .functions import STACK, STACK_BYTES, STACK_POINTER, Function, Program
from .layout import STOP_STACK
from .runtime import calls as rt_calls

_FRAME = ["ptr %ctx", "ptr %blk", "i32 %warp"]


class Calls(Divergence):
    """Mixed into the kernel's code generator, which gives it `program`, `_pend`, `_rest` and `stop`."""

    program: Program

    def _pend(self, target: int, mask: str) -> None:
        raise AttributeError

    def stop(self, i: ptx.Instruction, mask: str, code: int, label: str, *, ends: bool = True) -> None:
        raise AttributeError

    # -- arriving ----------------------------------------------------------------------------------------------
    def enter_block(self, block: ptx.Block) -> None:
        """At a function's first block take over its arguments; behind a recursive call take back the frame."""
        home = self.program.home.get(block.index, "")
        function = self.program.functions.get(home)
        if function is not None and block.index == function.entry:
            symbol = self.library.need(rt_calls.copy_local)
            for source, target, size in function.arguments:
                places = [f"i64 {self.frame.local[p]}" for p in (source, target)]
                self.call(symbol, "void", [*_FRAME, f"i32 {self.mact}", *places, f"i64 {size}"])
        if block.index and self.program.is_recursive_call(block.index - 1):
            self._move_frame(self.mact, -self._frame_bytes(block.index - 1))
            self._frame(block.index - 1, self.mact, save=False)

    # -- calling -----------------------------------------------------------------------------------------------
    def call_functions(self, block: ptx.Block, mask: str) -> None:
        """Send lanes to the functions that a block's last instruction calls."""
        i = block.instructions[-1]
        targets = self.program.callees[block.index]
        if self.program.is_recursive_call(block.index):
            self._frame(block.index, mask, save=True)
            over = self._move_frame(mask, self._frame_bytes(block.index))
            self.stop(i, over, STOP_STACK, f"I{i.index}.stack", ends=False)
        callee = i.operands[1]
        ways = self.every_lane(self.way(block.index + 1))
        for name in targets:
            chosen = mask
            if isinstance(callee, ptx.Register):
                number = self.const(self.frame.functions[name], "b64")
                hit = self.op("icmp eq {T} {a}, {b}", "b64", self.vector(self.src(callee, "b64")), number, out="pred")
                chosen = self.let(f"and i32 {self.bits(hit)}, {mask}", "b32", True).name
            function = self.program.functions[name]
            self._write_row(function.return_register, block.index + 1, chosen)
            self._pend(function.entry, chosen)
            ways = self.select(self.lanes(chosen), self.every_lane(self.way(function.entry)), ways)
        if block.index in self.decision_of:
            self.part_ways(ways)

    def _write_row(self, register: str, value: int, mask: str) -> None:
        at = self.let(f"getelementptr i8, ptr %state, i64 {self.slots[register]}", "b64", True)
        old = self.let(f"load <32 x i32>, ptr {at.name}, align 64", "b32", False)
        new = self.select(self.lanes(mask), self.vector(self.const(value, "b32")), old)
        self.emit(f"store <32 x i32> {new.name}, ptr {at.name}, align 64")

    def return_lanes(self, function: Function, mask: str) -> None:
        """Each lane goes on behind the call that brought it here."""
        at = self.let(f"getelementptr i8, ptr %state, i64 {self.slots[function.return_register]}", "b64", True)
        place = self.let(f"load <32 x i32>, ptr {at.name}, align 64", "b32", False)
        for target in function.returns_to:
            hit = self.op("icmp eq {T} {a}, {b}", "b32", place, self.const(target, "b32"), out="pred")
            chosen = self.let(f"and i32 {self.bits(hit)}, {mask}", "b32", True)
            self._pend(target, chosen.name)

    # -- frames of recursive functions ---------------------------------------------------------------------------
    def _frame_parts(self, block: int) -> Iterator[tuple[str, str, int]]:
        """(kind, name, bytes) of what a lane needs again behind the call that ends `block`."""
        function = self.program.functions[self.program.home[block]]
        live = self.kernel.blocks[block + 1].live_in - self.entry_values.keys()
        for name in (function.return_register, *sorted(live)):
            kind = self.kernel.registers[name]
            yield "row", name, 0 if kind == "pred" else max(2, ptx.TYPE_BYTES[kind])
        sizes = {v.name: v.size for v in self.kernel.local}
        for name in function.saved:
            yield "place", name, sizes[name]

    def _frame_bytes(self, block: int) -> int:
        return sum(-(-max(size, 1) // 8) * 8 for _, _, size in self._frame_parts(block))

    def _frame(self, block: int, mask: str, *, save: bool) -> None:
        common = [*_FRAME, f"i32 {mask}", f"i64 {self.frame.local[STACK]}", f"i64 {self.frame.local[STACK_POINTER]}"]
        at = 0
        for kind, name, size in self._frame_parts(block):
            if kind == "row":
                row = self.let(f"getelementptr i8, ptr %state, i64 {self.slots[name]}", "b64", True)
                symbol = self.library.need(rt_calls.frame_row)
                self.call(symbol, "void", [*common, f"i64 {at}", f"ptr {row.name}", f"i64 {size}", f"i32 {int(save)}"])
            else:
                symbol = self.library.need(rt_calls.frame_bytes)
                place = f"i64 {self.frame.local[name]}"
                self.call(symbol, "void", [*common, f"i64 {at}", place, f"i64 {size}", f"i32 {int(save)}"])
            at += -(-max(size, 1) // 8) * 8

    def _move_frame(self, mask: str, change: int) -> str:
        symbol = self.library.need(rt_calls.move_frame)
        limit = STACK_BYTES - 1024
        numbers = [f"i64 {self.frame.local[STACK_POINTER]}", f"i64 {change}", f"i64 {limit}"]
        return self.call(symbol, "i32", [*_FRAME, f"i32 {mask}", *numbers])


def lane_value(e: Emitter, value: Val) -> str:
    """A scalar of the first active lane."""
    if value.uniform:
        return value.name
    first = e.intrinsic("cttz", "b32", Val(e.mask(), "b32", True), extra=", i1 false")
    return e.let(f"extractelement {value.type} {value.name}, i32 {first.name}", value.kind, True).name
