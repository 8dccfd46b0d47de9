"""Operations across the lanes of a warp: shfl, vote, match, redux, activemask, elect.

Each function takes the operand words of all 32 lanes and the lanes that execute the instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from warpgauge.ptx import Instruction

from . import formats
from .formats import Words
from .rows import Unsupported

LANES = np.arange(32)
LANE_BITS = np.uint64(1) << LANES.astype(np.uint64)
Results = tuple[Words, ...]


def to_bits(lanes: np.ndarray) -> int:
    return int(LANE_BITS[lanes].sum())


def _members(lane: int, masks: Words, active: np.ndarray) -> list[int]:
    """The executing lanes that the lane's own mask operand names."""
    named = int(masks[lane])
    return [n for n in range(32) if active[n] and named >> n & 1]


def shuffle(i: Instruction, active: np.ndarray, value: Words, by: Words, control: Words, masks: Words) -> Results:
    """A lane outside its segment or beyond the clamp keeps its own value and gets a false predicate."""
    mode = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
    step = by.astype(np.int64) & 31
    clamp, segment = control.astype(np.int64) & 31, control.astype(np.int64) >> 8 & 31
    first, last = LANES & segment, (LANES & segment) | (clamp & ~segment)
    source = {
        "up": LANES - step,
        "down": LANES + step,
        "bfly": LANES ^ step,
        "idx": first | (step & ~segment),
    }[mode]
    inside = source >= last if mode == "up" else source <= last
    return value[np.where(inside, source, LANES)], inside


def vote(i: Instruction, active: np.ndarray, flag: Words, masks: Words) -> Results:
    out = []
    for lane in range(32):
        flags = [bool(flag[n]) for n in _members(lane, masks, active)]
        if "ballot" in i.modifiers:
            out.append(sum(1 << n for n in _members(lane, masks, active) if flag[n]))
        elif "all" in i.modifiers:
            out.append(all(flags))
        elif "any" in i.modifiers:
            out.append(any(flags))
        else:
            out.append(len(set(flags)) <= 1)
    return (np.array(out, dtype=np.uint64 if "ballot" in i.modifiers else bool),)


def match(i: Instruction, active: np.ndarray, value: Words, masks: Words) -> Results:
    out, same = [], []
    for lane in range(32):
        members = _members(lane, masks, active)
        equal = [n for n in members if value[n] == value[lane]]
        same.append(len(equal) == len(members))
        out.append(sum(1 << n for n in equal) if "any" in i.modifiers or same[-1] else 0)
    return np.array(out, dtype=np.uint64), np.array(same)


REDUCE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def redux(i: Instruction, active: np.ndarray, value: Words, masks: Words) -> Results:
    kind = i.types[-1]
    if formats.is_float(kind):
        raise Unsupported(i.text)
    combine = REDUCE[next(m for m in i.modifiers if m in REDUCE)]
    numbers = formats.integers(value, kind).tolist()
    out = [reduce(combine, [numbers[n] for n in _members(lane, masks, active)] or [0]) for lane in range(32)]
    return (formats.from_list(out, kind),)


def activemask(i: Instruction, active: np.ndarray) -> Results:
    return (np.full(32, to_bits(active), np.uint64),)


def elect(i: Instruction, active: np.ndarray, masks: Words) -> Results:
    """The lowest member leads; PTX leaves the choice open."""
    leader = [min(_members(lane, masks, active), default=lane) for lane in range(32)]
    return np.array(leader, dtype=np.uint64), np.array([n == lane for lane, n in enumerate(leader)])


# opcode -> (operand types after the destination, result types, function); None stands for the instruction's type.
ROWS: dict[str, tuple[tuple[str | None, ...], tuple[str | None, ...], Callable[..., Results]]] = {
    "shfl": (("b32", "b32", "b32", "b32"), ("b32", "pred"), shuffle),
    "vote": (("pred", "b32"), (None,), vote),
    "match": ((None, "b32"), ("b32", "pred"), match),
    "redux": ((None, "b32"), (None,), redux),
    "activemask": ((), ("b32",), activemask),
    "elect": (("b32",), ("b32", "pred"), elect),
}
