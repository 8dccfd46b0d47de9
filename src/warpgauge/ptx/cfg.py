"""Basic blocks and liveness.

A block ends at a branch, an exit or a block-wide barrier; a warp-synchronous instruction (shfl.sync, vote.sync,
bar.warp.sync ...) starts one, so that an engine can hold lanes there until those named by its mask have come. Of
several instructions of the whole warp (mma.sync ...) in a row only the first does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .model import Address, Block, Immediate, Instruction, Operand, Pair, Register, Symbol, Vector

BRANCHES = frozenset({"bra", "brx", "ret", "exit", "trap"})
# fmt: off
NO_DESTINATION = frozenset({
    "st", "bra", "brx", "ret", "exit", "trap", "bar", "barrier", "red", "membar", "fence", "prefetch", "prefetchu",
    "cp", "wgmma", "setmaxnreg", "griddepcontrol", "stmatrix", "nanosleep", "discard", "applypriority", "brkpt",
    "pmevent", "call", "callseq",
})
# fmt: on
CARRY = "%CC"


def is_block_barrier(i: Instruction) -> bool:
    """bar.sync, bar.red, barrier.cta.sync ...: the forms that wait for other warps of the block."""
    return i.opcode in ("bar", "barrier") and not {"warp", "arrive", "cluster"} & set(i.modifiers)


#: Functions that the machine provides: a call of one is an instruction like any other.
SYSTEM_CALLS = frozenset({"vprintf", "__assertfail", "malloc", "free"})


def is_function_call(i: Instruction) -> bool:
    """A call of a function of the module; control comes back at the next block."""
    return i.opcode == "call" and not (isinstance(i.operands[1], Symbol) and i.operands[1].name in SYSTEM_CALLS)


def is_warp_sync(i: Instruction) -> bool:
    """Instructions that lanes must execute together: those that a mask operand names, or all of the warp."""
    if i.opcode == "bar":
        return "warp" in i.modifiers
    return is_aligned(i) or (i.opcode in ("shfl", "vote", "match", "redux") and "sync" in i.modifiers)


#: Opcodes of matrix instructions, which all lanes of a warp execute as one.
_MATRIX = frozenset({"mma", "ldmatrix", "stmatrix", "movmatrix", "wmma"})


def is_aligned(i: Instruction) -> bool:
    """Instructions of a whole warp: undefined unless all 32 lanes execute them together."""
    return i.opcode in _MATRIX and "aligned" in i.modifiers


def member_mask(i: Instruction) -> Operand:
    """What names the lanes that a warp-level instruction (`is_warp_sync`) must be executed by."""
    if is_aligned(i):
        return Immediate("int", 0xFFFFFFFF)
    return i.operands[0] if i.opcode == "bar" else i.operands[-1]


def registers_of(operand: Operand) -> Iterator[str]:
    """Register names inside an operand, `_` left out."""
    match operand:
        case Register(name=name):
            if name != "_":
                yield name
        case Pair(first=first, second=second):
            yield from registers_of(first)
            yield from registers_of(second)
        case Vector(elements=elements):
            for element in elements:
                yield from registers_of(element)
        case Address(base=Register() as base):
            yield from registers_of(base)


def has_destination(i: Instruction) -> bool:
    if i.opcode == "mbarrier":
        return bool({"arrive", "try_wait", "test_wait", "arrive_drop", "pending_count"} & set(i.modifiers[:1]))
    if i.opcode in ("bar", "barrier"):
        return "red" in i.modifiers
    return i.opcode not in NO_DESTINATION


def definitions(i: Instruction) -> set[str]:
    out = set(registers_of(i.operands[0])) if i.operands and has_destination(i) else set()
    if i.operands and isinstance(i.operands[0], Address):
        out = set()
    if "cc" in i.modifiers:
        out.add(CARRY)
    return out


def usages(i: Instruction) -> set[str]:
    """Registers read; a guarded definition also reads its destination, because lanes keep the old value."""
    out: set[str] = set()
    for position, operand in enumerate(i.operands):
        if position == 0 and has_destination(i) and not isinstance(operand, Address):
            continue
        out.update(registers_of(operand))
    if i.opcode in ("addc", "subc", "madc"):
        out.add(CARRY)
    if i.guard:
        out.add(i.guard.register)
        out |= definitions(i)
    return out


def build_blocks(
    instructions: Sequence[Instruction],
    labels: Mapping[str, int],
    targets: Mapping[str, tuple[str, ...]],
    registers: dict[str, str],
) -> tuple[Block, ...]:
    """Split into basic blocks in text order and compute liveness. Falling off the end is an exit."""
    if any("cc" in i.modifiers or i.opcode in ("addc", "subc", "madc") for i in instructions):
        registers[CARRY] = "pred"
    leaders = {0} | {at for at in labels.values() if at < len(instructions)}
    for i in instructions:
        if i.opcode in BRANCHES or is_block_barrier(i) or is_function_call(i):
            leaders.add(i.index + 1)
    leaders |= _gathered(instructions, leaders)
    starts = sorted(at for at in leaders if at < len(instructions))
    number = {at: n for n, at in enumerate(starts)}
    number[len(instructions)] = -1
    blocks = []
    for n, at in enumerate(starts):
        end = starts[n + 1] if n + 1 < len(starts) else len(instructions)
        body = tuple(instructions[at:end])
        following = (n + 1,) if n + 1 < len(starts) else ()
        blocks.append(Block(n, body, _successors(body[-1], following, labels, targets, number)))
    _liveness(blocks)
    return tuple(blocks)


def _gathered(instructions: Sequence[Instruction], leaders: set[int]) -> set[int]:
    """Places where lanes may have to wait for others. Once a whole warp has come together it stays so to the end of the
    block, unless a guard lets some lanes pass by."""
    found: set[int] = set()
    together = False
    for i in instructions:
        together = together and i.index not in leaders
        if is_warp_sync(i) and not (together and is_aligned(i) and i.guard is None):
            found.add(i.index)
            together = is_aligned(i) and i.guard is None
    return found


def _successors(
    last: Instruction,
    following: tuple[int, ...],
    labels: Mapping[str, int],
    targets: Mapping[str, tuple[str, ...]],
    number: Mapping[int, int],
) -> tuple[int, ...]:
    if last.opcode == "bra":
        label = next(o.name for o in last.operands if isinstance(o, Symbol))
        taken = number[labels[label]]
        return ((taken,) if taken >= 0 else ()) + (following if last.guard else ())
    if last.opcode == "brx":
        table = next(o.name for o in last.operands if isinstance(o, Symbol))
        return tuple(number[labels[t]] for t in targets[table])
    if last.opcode in ("ret", "exit", "trap"):
        return following if last.guard else ()
    return following


def after_barriers(blocks: Sequence[Block]) -> frozenset[int]:
    """Blocks that threads can reach from a block-wide barrier."""
    todo = [s for b in blocks if is_block_barrier(b.instructions[-1]) for s in b.successors]
    found: set[int] = set()
    while todo:
        index = todo.pop()
        if index >= 0 and index not in found:
            found.add(index)
            todo += blocks[index].successors
    return frozenset(found)


def _liveness(blocks: Sequence[Block]) -> None:
    for block in blocks:
        defs: set[str] = set()
        uses: set[str] = set()
        for i in block.instructions:
            uses |= usages(i) - defs
            defs |= definitions(i)
        block.defs, block.uses = frozenset(defs), frozenset(uses)
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            out = frozenset().union(*(blocks[s].live_in for s in block.successors))
            live = block.uses | (out - block.defs)
            if out != block.live_out or live != block.live_in:
                block.live_out, block.live_in, changed = out, live, True
