"""Asynchronous copies: the bytes are there at once, as a program that waits correctly cannot tell from later."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import Immediate, Instruction, Register

from .access import address_reader
from .counting import Tally
from .mbarrier import arrive_on, barrier
from .rows import Unsupported
from .state import Operands, Reader, Warp

Step = Callable[[Warp, np.ndarray], None]


def copy(i: Instruction, operands: Operands, tally: Tally) -> Step:
    """One request to each memory for lanes that read all of their bytes or none; one more to global memory for each
    other number of bytes. What is not read is zero."""
    size = i.operands[2]
    if not isinstance(size, Immediate) or size.value not in ((4, 8, 16) if "ca" in i.modifiers else (16,)):
        raise Unsupported(i.text)
    width = size.value
    more = i.operands[3 : -1 if "cache_hint" in i.modifiers else None]
    wanted = _wanted(more[0] if more else None, width, operands)
    target, source = (address_reader(i.operands[n], operands, space) for n, space in ((0, "shared"), (1, "global")))

    def step(w: Warp, mask: np.ndarray) -> None:
        counts, at, to = wanted(w).astype(int), source(w), target(w)
        data = np.zeros((32, width), np.uint64)
        for count in sorted(set(counts[mask].tolist()) - {0}):
            lanes = np.nonzero(mask & (counts == count))[0]
            tally.record(i.ptx_line, "global", "copy", width, lanes, at[lanes])
            # (Bounds are checked for the bytes that are read.)
            for n in range(count):
                data[lanes, n] = w.view.read("global", lanes, at[lanes] + np.uint64(n), 1, 1)[:, 0]
        lanes = np.nonzero(mask)[0]
        tally.record(i.ptx_line, "shared", "copy", width, lanes, to[lanes])
        w.view.write("shared", lanes, to[lanes], data[lanes], 1)

    return step


def _wanted(operand: object, width: int, operands: Operands) -> Reader:
    """Bytes that each lane reads: all, as many as a number says, or none where a predicate holds."""
    if operand is None:
        return lambda w: np.full(32, width, np.uint64)
    if isinstance(operand, Register) and operands.kernel.registers[operand.name] == "pred":
        skipped = operands.reader(operand, "pred")
        return lambda w: np.where(skipped(w), 0, width).astype(np.uint64)
    return operands.reader(operand, "b32")  # type: ignore[arg-type]


def asynchronous(i: Instruction, operands: Operands, tally: Tally) -> Step:
    """cp.async and what ends groups or waits for them."""
    if {"commit_group", "wait_group", "wait_all"} & set(i.modifiers):
        return lambda w, mask: None
    if "bulk" in i.modifiers:
        raise Unsupported(i.text)
    if "mbarrier" in i.modifiers:
        return arrive_on(i, operands, tally)
    return copy(i, operands, tally)


ROWS = {"cp": asynchronous, "mbarrier": barrier}
