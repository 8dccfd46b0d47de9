"""Where lanes of a warp can go different ways.

A `switch` or an `a && b` becomes a chain of compares and branches. Of such a chain only the first branch is a decision
of its own: blocks that do nothing but compare, at the same source point and reached from nowhere else, continue it. So
a switch with four cases is one decision with four ways, not three with two.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .model import Block, Instruction, Kernel

_COMPARES = frozenset({"setp"})
_LOGIC = frozenset({"and", "or", "xor", "not", "mov"})


@dataclass(frozen=True)
class Decision:
    """`instruction` is the branch that opens it, at the end of block `root`; `blocks` has the root and those that
    continue it."""

    number: int
    root: int
    instruction: Instruction
    blocks: tuple[int, ...]

    @property
    def chained(self) -> bool:
        return len(self.blocks) > 1


def taken_target(kernel: Kernel, block: Block) -> int:
    """Where a `bra` goes; the number of blocks stands for the end of the kernel."""
    last = block.instructions[-1]
    return block.successors[0] if len(block.successors) > bool(last.guard) else len(kernel.blocks)


def way(kernel: Kernel, target: int) -> int:
    """The block that a branch to `target` really leads to: past blocks that only branch on."""
    seen = set()
    while target < len(kernel.blocks) and target not in seen:
        seen.add(target)
        body = kernel.blocks[target].instructions
        if len(body) > 1 or body[0].opcode != "bra" or body[0].guard:
            break
        target = taken_target(kernel, kernel.blocks[target])
    return target


def decisions(kernel: Kernel, splitting_calls: Collection[int] = ()) -> tuple[Decision, ...]:
    """Every decision in the order of its block. `splitting_calls` are blocks whose call may enter several functions."""
    may_split = [b.index for b in kernel.blocks if _may_split(b.instructions[-1]) or b.index in splitting_calls]
    above = _continued(kernel, may_split)
    roots: dict[int, list[int]] = {}
    for block in may_split:
        top = block
        while top in above:
            top = above[top]
        roots.setdefault(top, []).append(block)
    return tuple(
        Decision(n, root, kernel.blocks[root].instructions[-1], (root, *(b for b in members if b != root)))
        for n, (root, members) in enumerate(sorted(roots.items()))
    )


def _may_split(i: Instruction) -> bool:
    return i.opcode == "brx" or (i.opcode in ("bra", "ret", "exit") and i.guard is not None)


def _continued(kernel: Kernel, may_split: list[int]) -> dict[int, int]:
    """Blocks that continue a decision -> the block of the branch before them."""
    comers: dict[int, list[int]] = {}
    for block in kernel.blocks:
        if block.index and way(kernel, block.index) != block.index:
            continue  # it only branches on: whoever comes through it is counted at its way
        for target in {way(kernel, t) for t in block.successors}:
            comers.setdefault(target, []).append(block.index)
    return {
        block: comers[block][0]
        for block in may_split
        if block
        and len(comers.get(block, ())) == 1
        and comers[block][0] in may_split
        and comers[block][0] < block  # loops and the starts of functions are reached from elsewhere too
        and _continues(kernel.blocks[comers[block][0]], kernel.blocks[block])
    }


def _continues(before: Block, block: Block) -> bool:
    *body, last = block.instructions
    return (
        last.opcode == "bra"
        and last.guard is not None
        and before.instructions[-1].opcode == "bra"
        and last.chain == before.instructions[-1].chain
        and all(i.opcode in _COMPARES or (i.opcode in _LOGIC and i.types[-1:] == ("pred",)) for i in body)
    )
