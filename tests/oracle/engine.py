"""Runs a kernel: blocks in linear order (x fastest), warps of a block in order, each until a barrier or its exit.

Inside a warp the lowest-numbered basic block with waiting lanes runs next, so diverged lanes meet again where the
compiler laid out the join. A block led by a warp-synchronous instruction is put off while lanes that the
instruction names are still on their way. Barriers release their lanes for the next sweep over the warps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from warpgauge.evidence import Counters
from warpgauge.ptx import Kernel, Module, Symbol, is_block_barrier, is_warp_sync

from .barrier import Barriers
from .counting import AccessCount, Tally
from .divergence import Paths
from .memory import Layout, OracleFault, View, build_layout, layout
from .program import Code, Decoder
from .rows import Unsupported
from .state import Index3, Warp, new_warp

__all__ = ["OracleFault", "OracleResult", "Unsupported", "layout", "run"]

WHOLE_WARP = ("mma", "ldmatrix", "stmatrix", "movmatrix")


@dataclass(frozen=True)
class OracleResult:
    """`buffers` after the run; `accesses` by (PTX line, space); `totals` under the names of hardware readings.

    `thread_instructions` counts every instruction of an entered basic block once per entering lane.
    """

    buffers: dict[str, np.ndarray]
    accesses: dict[tuple[int, str], AccessCount]
    totals: Counters
    thread_instructions: int
    tally: Tally


def pack_arguments(kernel: Kernel, arguments: Sequence[int | float | bytes]) -> bytes:
    """Each argument in its parameter's bytes; floats by size (2, 4, 8), integers in two's complement."""
    assert len(arguments) == len(kernel.params), "one argument per parameter"
    block = bytearray(kernel.param_bytes)
    for parameter, value in zip(kernel.params, arguments, strict=True):
        if isinstance(value, bytes):
            data = value
        elif isinstance(value, float):
            data = np.array(value, {2: np.float16, 4: np.float32, 8: np.float64}[parameter.size]).tobytes()
        else:
            data = (int(value) & ((1 << 8 * parameter.size) - 1)).to_bytes(parameter.size, "little")
        assert len(data) == parameter.size, parameter.name
        block[parameter.offset : parameter.offset + parameter.size] = data
    return bytes(block)


def run(
    module: Module,
    kernel_name: str,
    *,
    grid: Index3,
    block: Index3,
    dynamic_shared: int = 0,
    arguments: Sequence[int | float | bytes],
    buffers: dict[str, np.ndarray],
) -> OracleResult:
    """Execute one launch. Addresses for `arguments` come from `layout(buffers)`; the arrays given stay untouched.

    Raises OracleFault where the kernel's behaviour is undefined, Unsupported where the oracle has no row.
    """
    kernel = module.kernels[kernel_name]
    fixed = build_layout(module, kernel, buffers, pack_arguments(kernel, arguments), dynamic_shared)
    tally = Tally()
    decoder = Decoder(kernel, fixed, tally)
    code = [[decoder.decode(i) for i in b.instructions] for b in kernel.blocks]
    with np.errstate(all="ignore"):
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    BlockRun(kernel, decoder, code, fixed, tally, block, (x, y, z), grid).run()
    out = {}
    for name, array in buffers.items():
        at = fixed.buffers[name] - fixed.memory.base
        out[name] = fixed.memory.bytes[at : at + array.nbytes].view(array.dtype).reshape(array.shape).copy()
    return OracleResult(out, tally.accesses, tally.totals(), tally.thread_instructions, tally)


class BlockRun:
    """One thread block from start to end."""

    def __init__(
        self,
        kernel: Kernel,
        decoder: Decoder,
        code: list[list[Code]],
        fixed: Layout,
        tally: Tally,
        block: Index3,
        place: Index3,
        grid: Index3,
    ) -> None:
        self.kernel, self.decoder, self.code, self.tally = kernel, decoder, code, tally
        shared = np.zeros(fixed.shared_bytes, np.uint8)
        count = -(-block[0] * block[1] * block[2] // 32)
        self.warps = [
            new_warp(kernel, n, block, place, grid, View(fixed, shared), fixed.shared_bytes) for n in range(count)
        ]
        self.barriers = Barriers(decoder.operands, self.warps)
        self.paths = [Paths(kernel, tally.divergence, place, w.number, w.alive.copy()) for w in self.warps]

    def run(self) -> None:
        while any(w.alive.any() for w in self.warps):
            moved = False
            for w in self.warps:
                for number, lanes in w.released.items():
                    w.pending[number] = w.pending.get(number, np.zeros(32, bool)) | lanes
                w.released = {}
            for w in self.warps:
                moved |= bool(w.pending)
                self.turn(w)
            moved |= self.barriers.settle()
            if not moved:
                raise OracleFault("no progress: every lane waits at a barrier that cannot complete")

    def turn(self, w: Warp) -> None:
        while w.pending:
            number = self._next(w)
            self._enter(w, number, w.pending.pop(number))

    def _next(self, w: Warp) -> int:
        for number in sorted(w.pending):
            if self._ready(w, number):
                return number
        return min(w.pending)

    def _ready(self, w: Warp, number: int) -> bool:
        """False while other running lanes, named by a leading warp-synchronous instruction, may still come."""
        first = self.kernel.blocks[number].instructions[0]
        if not is_warp_sync(first) or not first.operands:
            return True
        lanes = w.pending[number] & self._guard(w, first)
        if not lanes.any():
            return True
        named = 0xFFFFFFFF
        if first.opcode not in WHOLE_WARP:
            masks = self.decoder.operands.reader(first.operands[-1], "b32")(w)
            named = int(np.bitwise_or.reduce(masks[lanes]))
        wanted = np.array([named >> n & 1 == 1 for n in range(32)]) & w.alive
        return bool((wanted & ~w.pending[number]).sum() == 0)

    @staticmethod
    def _guard(w: Warp, i: object) -> np.ndarray:
        guard = i.guard  # type: ignore[attr-defined]
        if guard is None:
            return np.ones(32, bool)
        flags = w.registers[guard.register]
        return ~flags if guard.negated else flags

    def _enter(self, w: Warp, number: int, lanes: np.ndarray) -> None:
        block = self.kernel.blocks[number]
        self.tally.thread_instructions += int(lanes.sum()) * len(block.instructions)
        self.paths[w.number].execute(number, lanes)
        for code in self.code[number]:
            active = lanes & self._guard(w, code.instruction)
            if code.step is not None:
                try:
                    if active.any():
                        code.step(w, active)
                except OracleFault as fault:
                    where = f"PTX line {code.instruction.ptx_line}: {code.instruction.text}"
                    raise OracleFault(f"{fault} ({where})") from fault
            if (
                code.instruction.opcode in ("bar", "barrier")
                and "arrive" in code.instruction.modifiers
                and active.any()
            ):
                self.barriers.arrive(w, code.instruction, active)
        self._leave(w, number, lanes)

    def _leave(self, w: Warp, number: int, lanes: np.ndarray) -> None:
        block = self.kernel.blocks[number]
        last = block.instructions[-1]
        taken = lanes & self._guard(w, last)
        rest = lanes & ~taken
        following = number + 1 if number + 1 < len(self.kernel.blocks) else -1
        if last.opcode in ("bra", "brx", "ret", "exit"):
            self.paths[w.number].leave(number, lanes, self._targets(w, number, taken, following))
        if last.opcode == "bra":
            label = next(o.name for o in last.operands if isinstance(o, Symbol))
            self._go(w, self._block_at(label), taken)
            self._go(w, following, rest)
        elif last.opcode == "brx":
            self._jump_by_table(w, number, taken)
            self._go(w, following, rest)
        elif last.opcode in ("ret", "exit"):
            self._go(w, -1, taken)
            self._go(w, following, rest)
        elif last.opcode == "trap" and taken.any():
            raise OracleFault(f"trap (PTX line {last.ptx_line})")
        elif is_block_barrier(last):
            if taken.any():
                self.barriers.wait(w, last, taken, following)
            self._go(w, following, rest)
        else:
            self._go(w, following, lanes)

    def _block_at(self, label: str) -> int:
        at = self.kernel.labels[label]
        for b in self.kernel.blocks:
            if b.instructions[0].index == at:
                return b.index
        return -1

    def _targets(self, w: Warp, number: int, taken: np.ndarray, following: int) -> list[int]:
        """The block at which each lane goes on."""
        last = self.kernel.blocks[number].instructions[-1]
        there = np.full(32, -1)
        if last.opcode == "bra":
            there[:] = self._block_at(next(o.name for o in last.operands if isinstance(o, Symbol)))
        elif last.opcode == "brx":
            table = self.kernel.branch_targets[next(o.name for o in last.operands if isinstance(o, Symbol))]
            index = self.decoder.operands.reader(last.operands[0], "u32")(w)
            for n, label in enumerate(table):
                there[index == n] = self._block_at(label)
        return [int(x) for x in np.where(taken, there, following)]

    def _jump_by_table(self, w: Warp, number: int, lanes: np.ndarray) -> None:
        last = self.kernel.blocks[number].instructions[-1]
        table = self.kernel.branch_targets[next(o.name for o in last.operands if isinstance(o, Symbol))]
        index = self.decoder.operands.reader(last.operands[0], "u32")(w)
        for n, label in enumerate(table):
            self._go(w, self._block_at(label), lanes & (index == n))
        if (index[lanes] >= len(table)).any():
            raise OracleFault(f"brx.idx beyond its table (PTX line {last.ptx_line})")

    @staticmethod
    def _go(w: Warp, number: int, lanes: np.ndarray) -> None:
        if not lanes.any():
            return
        if number < 0:
            w.alive &= ~lanes
        else:
            w.pending[number] = w.pending.get(number, np.zeros(32, bool)) | lanes
