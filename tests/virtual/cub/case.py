"""One case: buffers, the launches that work on them, and what every output must hold afterwards."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.ptx import parsed
from warpgauge.vgpu import GlobalMemory, execute

FOLDER = Path(__file__).parent
Argument = str | int | float | bytes | tuple["Argument", ...]


@dataclass(frozen=True)
class Step:
    """One launch. A string names a buffer ("name+8": eight bytes into it), a tuple of them a structure of pointers."""

    entry: str
    grid: int
    block: int
    args: tuple[Argument, ...]
    cooperative: bool = False


@dataclass(frozen=True)
class Case:
    """`inputs` may not be written, `work` may be; `expected` are the outputs, unwritten before unless in `work`.

    `finding` is the one code that the shadow state reports.
    """

    id: str
    source: str
    steps: tuple[Step, ...]
    inputs: Mapping[str, np.ndarray]
    expected: Mapping[str, np.ndarray]
    work: Mapping[str, np.ndarray] = field(default_factory=dict)
    finding: str = ""


def one(
    id: str,
    source: str,
    entry: str,
    grid: int,
    block: int,
    args: Sequence[Argument],
    inputs: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    **more: str,
) -> Case:
    """A case of one launch."""
    return Case(id, source, (Step(entry, grid, block, tuple(args)),), inputs, expected, **more)


def numbers(label: str) -> np.random.Generator:
    """A generator of its own for each case."""
    return np.random.default_rng(zlib.crc32(label.encode()))


@functools.cache
def build(source: str, entries: tuple[str, ...]) -> BuildArtifact:
    return compile_source(FOLDER / source, entries=entries)


def _value(argument: Argument, at: Mapping[str, int], size: int) -> int | float | bytes:
    if isinstance(argument, tuple):
        return b"".join(int(_value(a, at, 8)).to_bytes(8, "little") for a in argument).ljust(size, b"\0")
    if isinstance(argument, str):
        name, _, offset = argument.partition("+")
        return at[name] + int(offset or 0)
    return argument


def launch(built: BuildArtifact, case: Case, mode: str) -> tuple[list[Execution], dict[str, np.ndarray]]:
    """All steps of a case on fresh memory: their executions and what the outputs hold."""
    memory = GlobalMemory()
    at = {name: memory.add(name, data, writable=False) for name, data in case.inputs.items()}
    at |= {name: memory.add(name, data) for name, data in case.work.items()}
    for name, data in case.expected.items():
        at[name] = at.get(name) or memory.add(name, np.zeros_like(data), initialised=False)
    kernels = parsed(built.ptx).kernels
    executions = [
        execute(
            built,
            built.lowered[step.entry],
            grid=(step.grid, 1, 1),
            block=(step.block, 1, 1),
            arguments=[
                _value(a, at, p.size) for a, p in zip(step.args, kernels[built.lowered[step.entry]].params, strict=True)
            ],
            memory=memory,
            mode=mode,
            cooperative=step.cooperative,
        )
        for step in case.steps
    ]
    return executions, {name: memory.read(name) for name in case.expected}
