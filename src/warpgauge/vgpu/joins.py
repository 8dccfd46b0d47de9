"""Where the ways of a warp meet again behind its warp-level instructions."""

from __future__ import annotations

from collections.abc import Sequence

from warpgauge.ptx import Block, is_warp_sync


def warp_joins(blocks: Sequence[Block]) -> dict[int, int]:
    """Block of a warp-level instruction -> the next block that every way from it to the kernel's end goes through.

    Its immediate post-dominator. Left out where ways meet at the end only, or in a block that does nothing but end.
    """
    wanted = [b.index for b in blocks if is_warp_sync(b.instructions[0])]
    if not wanted:
        return {}
    after = _post_dominators(blocks)
    found = {}
    for index in wanted:
        # Of the blocks that follow on every way, the nearest is the one that all the others follow as well.
        later = after[index] - {index}
        nearest = max(later, key=lambda b: len(after[b]), default=None)
        if nearest is not None and (len(blocks[nearest].instructions) > 1 or blocks[nearest].successors):
            found[index] = nearest
    return found


def _post_dominators(blocks: Sequence[Block]) -> list[frozenset[int]]:
    """For each block the blocks on every way from it to an end, itself included; empty where no end can be reached."""
    every = frozenset(b.index for b in blocks)
    ends = {b.index for b in blocks if _may_end(b)}
    sets = [frozenset({b.index}) if b.index in ends else every for b in blocks]
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            if block.index in ends or not block.successors:
                continue
            new = frozenset.intersection(*(sets[s] for s in block.successors)) | {block.index}
            if new != sets[block.index]:
                sets[block.index], changed = new, True
    return sets


def _may_end(block: Block) -> bool:
    """Whether lanes can end behind this block. (A trap ends the launch, so its way leads nowhere.)"""
    last = block.instructions[-1].opcode
    return last in ("ret", "exit") or -1 in block.successors or (not block.successors and last != "trap")
