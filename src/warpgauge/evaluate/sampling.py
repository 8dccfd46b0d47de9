"""Executing a sample of the judged shape's blocks, and what shows that the sample does not stand for the rest.

A sample is sound where each byte has one writing block, no block reads what another wrote, and no launch touches a
buffer that an earlier, sampled launch wrote, or may have written in blocks that did not run. That is read from the
code, and from the shadow state of the sample itself and of the small shapes, which are executed in full; see
`contracts.case.support` for what a verdict needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from warpgauge.candidate import PlannedLaunch
from warpgauge.contracts import Trial
from warpgauge.evidence import Execution
from warpgauge.vgpu import sampled_blocks

Sample = NDArray[np.int64]

# What a block may do only because a block that it depends on did not run: wait for ever, read what nobody wrote.
_OWED_TO_THE_SAMPLE = {
    "SAF606": "a block reads global memory that no executed block wrote",
    "SAF611": "a block waits for something that no executed block does",
    "SAF612": "a block waits for something that no executed block does",
}
# Two blocks that race do so whatever the others do.
_RACES = ("SAF601", "SAF602")


@dataclass(frozen=True)
class Sampling:
    """At most `most` blocks of each launch; `entries` are the kernels of which that leaves some out."""

    most: int
    entries: frozenset[str]

    def of(self, launch: PlannedLaunch) -> Sample | None:
        """The blocks to run; None for all."""
        return sampled_blocks(launch.grid, self.most)


def sampling_of(most: int | None, judged: Iterable[Sequence[PlannedLaunch]]) -> Sampling | None:
    """None where nothing is to be sampled, or every launch of the judged shapes has few enough blocks."""
    if most is None:
        return None
    entries = frozenset(launch.entry for launches in judged for launch in launches if launch.blocks > most)
    return Sampling(most, entries) if entries else None


def refused(launches: Sequence[PlannedLaunch], sampling: Sampling) -> str:
    """Why not even a sample can be executed; empty if it can."""
    for launch in launches:
        if launch.cooperative and launch.blocks > sampling.most:
            return f"{launch.entry}: a cooperative launch needs all of its blocks, a sample of them says nothing"
    return ""


def ties(executions: Sequence[Execution], sampling: Sampling, *, sampled: bool) -> str:
    """What ties a sampled kernel's blocks to each other, or a later launch to it; empty where nothing does."""
    written: dict[str, str] = {}
    possible: dict[str, str] = {}
    for execution in executions:
        mark = execution.footprint
        if mark is None:
            continue
        for buffer in sorted(mark.touched & written.keys()):
            return f"{execution.kernel} touches {buffer}, which {written[buffer]} wrote before it"
        for buffer in sorted(mark.touched & possible.keys()):
            blocks = f"blocks of {possible[buffer]} that did not run"
            return f"{execution.kernel} touches {buffer}, which {blocks} may have written before it"
        if execution.kernel in sampling.entries:
            if mark.ties:
                return f"{execution.kernel}: {mark.ties[0]}"
            written.update(dict.fromkeys(mark.written, execution.kernel))
            if sampled:
                possible.update(dict.fromkeys(mark.writable, execution.kernel))
    if sampled:
        for execution in executions:
            for fault in execution.faults:
                if fault.code in _OWED_TO_THE_SAMPLE:
                    return f"{execution.kernel}: {_OWED_TO_THE_SAMPLE[fault.code]}"
    return ""


def written_elements(executions: Sequence[Execution], tensor: str, element_bytes: int) -> NDArray[np.bool_] | None:
    """Which elements of a tensor's buffer any launch wrote, in part or whole; None where none was."""
    marks = [e.footprint.written[tensor] for e in executions if e.footprint and tensor in e.footprint.written]
    if not marks:
        return None
    flags: NDArray[np.bool_] = np.logical_or.reduce(marks).reshape(-1, element_bytes).any(axis=1)
    return flags


def settled(trial: Trial, reason: str, *, sampled: bool) -> Trial:
    """The trial with its ties in words instead of bytes.

    Where a sample does not stand for the rest, its findings may be owed to the blocks that did not run: all but races
    are left out.
    """
    executions = tuple(replace(e, footprint=None) for e in trial.executions)
    if sampled and reason:
        executions = tuple(replace(e, faults=tuple(f for f in e.faults if f.code in _RACES)) for e in executions)
        trial = replace(trial, comparisons=(), uncompared="a sample of its blocks does not stand for the rest")
    return replace(trial, executions=executions, sampled=sampled, ties=reason)
