"""What the virtual GPU (or a device) saw while a launch ran."""

from __future__ import annotations

from dataclasses import dataclass, field

from .access import Counters, Site, TracedRequest
from .location import Location
from .provenance import Coverage

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """A safety finding. `code` is a row of the diagnostics code table (SAF6xx).

    `location` is where it was noticed, `related` the other places involved with a word for each ("earlier write");
    `count` how many times this same finding occurred, `block` and `thread` the first occurrence, `inlined` the chain of
    helpers and call sites around `location`, innermost first.
    A `warning` fault is reported but does not break the safety contract.
    """

    code: str
    location: Location
    message: str
    block: Index3 | None = None
    thread: Index3 | None = None
    related: tuple[tuple[Location, str], ...] = ()
    count: int = 1
    warning: bool = False
    inlined: tuple[Location, ...] = ()


@dataclass(frozen=True)
class Unsupported:
    """An instruction that the virtual GPU cannot execute; `reached` when execution arrived at it."""

    instruction: str
    location: Location
    ptx_line: int
    reached: bool


@dataclass(frozen=True)
class Execution:
    """One launch on the virtual GPU.

    `completed` is False when execution could not go on (unsupported instruction, deadlock, no progress,
    budget); `stopped` then says why. Counts are exact for the blocks in `coverage`.
    `printed` is what device code printed. `requests` holds the first accesses in the order of execution, in trace mode
    only (`checked` is shadow mode).
    `thread_instructions` counts executed PTX instructions times active lanes.
    `seconds` is wall time of the execution, `jit_seconds` of code generation; neither is a measurement of the kernel.
    """

    kernel: str
    grid: Index3
    block: Index3
    counters: Counters
    sites: tuple[Site, ...]
    faults: tuple[Fault, ...]
    unsupported: tuple[Unsupported, ...]
    completed: bool
    coverage: Coverage
    thread_instructions: int
    checked: bool = False
    stopped: str = ""
    requests: tuple[TracedRequest, ...] = ()
    printed: str = ""
    seconds: float = field(default=0.0, compare=False)
    jit_seconds: float = field(default=0.0, compare=False)
