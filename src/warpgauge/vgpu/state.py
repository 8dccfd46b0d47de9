"""How a warp's state is laid out in memory: header, one mask per basic block, registers that live across blocks."""

from __future__ import annotations

from warpgauge import ptx
from warpgauge.ptx.cfg import is_block_barrier

from .layout import LANES, PENDING_WORDS_AT


def header_layout(kernel: ptx.Kernel) -> tuple[int, int, int, int, int]:
    """(words of pending bits, byte offsets of the masks, wake and wake-barrier tables, first register slot).

    Sized by words, not blocks, so that kernels of up to 63 blocks share the runtime's machine code.
    """
    words = -(-(len(kernel.blocks) + 1) // 64)
    table = 64 * 4 * words
    masks = -(-8 * (PENDING_WORDS_AT + 2 * words) // 64) * 64
    return words, masks, masks + table, masks + 2 * table, masks + 3 * table


def state_layout(kernel: ptx.Kernel, more: tuple[str, ...] = ()) -> tuple[dict[str, int], dict[str, int]]:
    """(constants for the runtime's templates, byte offset of each register that lives across blocks)."""
    words, masks, wake, wakebar, at = header_layout(kernel)
    constants = {"NWORDS": words, "MASKS_AT": masks, "WAKE_AT": wake, "WAKEBAR_AT": wakebar}
    slots = {}
    across = set(more).union(*(b.live_in | b.live_out for b in kernel.blocks))
    for name in _ordered(kernel, across):
        slots[name] = at
        at += 64 if kernel.registers[name] == "pred" else max(64, LANES * ptx.TYPE_BYTES[kernel.registers[name]])
    constants["STATE_BYTES"] = at
    return constants, slots


def _ordered(kernel: ptx.Kernel, across: set[str]) -> list[str]:
    """Registers whose sum a product takes lie one after the other, so that it finds them where they are."""
    first: dict[str, None] = {}
    for i in kernel.instructions:
        sums = i.operands[3] if i.opcode in ("mma", "wmma") and len(i.operands) > 3 else None
        if isinstance(sums, ptx.Vector):
            names = [name for element in sums.elements for name in ptx.registers_of(element)]
            if across.issuperset(names) and first.keys().isdisjoint(names):
                first.update(dict.fromkeys(names))
    return [*first, *sorted(across - first.keys())]


def resume_blocks(kernel: ptx.Kernel) -> tuple[int, ...]:
    """Blocks at which lanes go on after a block-wide barrier; one past the last block means the exit."""
    return tuple(b.index + 1 for b in kernel.blocks if is_block_barrier(b.instructions[-1]))
