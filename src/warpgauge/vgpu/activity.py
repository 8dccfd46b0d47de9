"""Counts of basic blocks and decisions -> activity of source lines, branches."""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from warpgauge import ptx
from warpgauge.evidence import BlockActivity, Branch, LineActivity, Location, Split

from .faults import unravel
from .layout import DECISION, DECISION_WAYS, LANES
from .outcome import Outcome
from .prepare import Prepared


def _executions(outcome: Outcome) -> NDArray[np.int64]:
    """How often warps executed each block, of all workers: [full or partial warp, active lanes, block]."""
    return np.sum([w.activity for w in outcome.workers], axis=0)


def _blocks(outcome: Outcome) -> list[list[int]]:
    """By block: executions by warps, the active lanes of these summed, the lanes that have a thread summed."""
    table = _executions(outcome)
    threads = outcome.block[0] * outcome.block[1] * outcome.block[2]
    full, partial = table.sum(axis=1)
    lanes = np.arange(LANES + 1) @ table.sum(axis=0)
    rows = np.stack([full + partial, lanes, full * LANES + partial * (threads % LANES)], axis=1)
    return rows.tolist()


def thread_instructions(prepared: Prepared, outcome: Outcome) -> int:
    """Executed instructions times active lanes."""
    rows = zip(prepared.kernel.blocks, _blocks(outcome), strict=True)
    return sum(len(block.instructions) * lanes for block, (_, lanes, _) in rows)


def ptx_blocks(prepared: Prepared, outcome: Outcome) -> tuple[BlockActivity, ...]:
    """How often warps executed each basic block of the kernel's PTX, in its order."""
    rows = zip(prepared.kernel.blocks, _blocks(outcome), strict=True)
    return tuple(
        BlockActivity(block.instructions[0].ptx_line, block.instructions[-1].ptx_line, warps)
        for block, (warps, _, _) in rows
        if block.instructions
    )


def line_activity(prepared: Prepared, outcome: Outcome, files: Container[str]) -> tuple[LineActivity, ...]:
    """What was executed by line of the source, in source order."""
    out: dict[Location, list[int]] = {}
    for block, counts in zip(prepared.kernel.blocks, _blocks(outcome), strict=True):
        for i in block.instructions if counts[0] else ():
            place = ptx.locate(prepared.module, i, files)[0]
            line = out.setdefault(Location(place.file, place.line), [0, 0, 0])
            for n, count in enumerate(counts):
                line[n] += count
    return tuple(LineActivity(place, *counts) for place, counts in sorted(out.items()))


def branches(prepared: Prepared, outcome: Outcome, files: Container[str]) -> tuple[Branch, ...]:
    """Every decision that a warp came to. The workers' sums, and the earliest of the worst splits."""
    executions = [row[0] for row in _blocks(outcome)]
    out = []
    for decision in prepared.decisions:
        if not executions[decision.root]:
            continue
        rows = [w.decisions[decision.number] for w in outcome.workers]
        location, inlined = ptx.locate(prepared.module, decision.instruction, files)
        out.append(
            Branch(
                location,
                executions[decision.root],
                sum(int(row[DECISION["SPLITS"]]) for row in rows),
                sum(int(row[DECISION["IDLE"]]) for row in rows),
                _worst(max(rows, key=lambda row: int(row[DECISION["WORST"]])), outcome.grid),
                inlined,
                decision.instruction.ptx_line,
            )
        )
    return tuple(out)


def _worst(row: NDArray[np.int64], grid: tuple[int, int, int]) -> Split | None:
    """Ways in the order of their first lanes."""
    if not row[DECISION["WORST"]]:
        return None
    mask = int(row[DECISION["WMASK"]])
    targets = row[DECISION_WAYS : DECISION_WAYS + LANES].tolist()
    numbers: dict[int, int] = {}
    ways = tuple(
        numbers.setdefault(target, len(numbers)) if mask >> lane & 1 else None for lane, target in enumerate(targets)
    )
    return Split(unravel(int(row[DECISION["WBLOCK"]]), grid), int(row[DECISION["WWARP"]]), ways)
