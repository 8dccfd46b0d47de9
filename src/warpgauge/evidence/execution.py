"""What the virtual GPU (or a device) saw while a launch ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from .access import Counters, Site, TracedRequest
from .divergence import BlockActivity, Branch, LineActivity
from .location import Location
from .provenance import Coverage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """A safety finding. `code` is a row of the diagnostics code table (SAF6xx).

    `location` is where it was noticed, `related` the other places involved with a word for each ("earlier write");
    `count` how many times this same finding occurred, None in a launch that was cut off by a clock: how far that came
    is a property of this machine. `block` and `thread` are the first occurrence, `inlined` the chain of helpers and
    call sites around `location`, innermost first; `related_inlined` has such a chain for each of `related`, up to where
    it meets `inlined` (empty: no such chain is known).
    A `warning` fault is reported but does not break the safety contract.
    """

    code: str
    location: Location
    message: str
    block: Index3 | None = None
    thread: Index3 | None = None
    related: tuple[tuple[Location, str], ...] = ()
    count: int | None = 1
    warning: bool = False
    inlined: tuple[Location, ...] = ()
    related_inlined: tuple[tuple[Location, ...], ...] = ()

    def counted_with(self, later: Fault) -> Fault:
        """This finding, with the occurrences of a later one of the same kind and place added to its own."""
        unknown = self.count is None or later.count is None
        return replace(self, count=None if unknown else (self.count or 0) + (later.count or 0))


@dataclass(frozen=True)
class Writer:
    """An executed instruction that writes memory.

    `kind`: a plain "store"; a floating-point "sum" by an atomic; "exchange" for compare-and-swap and exchange, with
    which any operation can be built; "commutative" for the other atomics, whose order no final value shows. `buffers`
    are those among whose watched bytes some were last written here; a word keeps its last store and its last atomic.
    """

    location: Location
    instruction: str
    space: str
    kind: Literal["store", "sum", "exchange", "commutative"]
    buffers: tuple[str, ...] = ()
    inlined: tuple[Location, ...] = ()


@dataclass(frozen=True)
class Footprint:
    """What a checked launch did to global memory, for whoever must know whether its blocks depend on each other.

    `ties`: what makes a block depend on another, in words (empty: each byte has one writing block, and no block reads
    what another wrote). `written` marks the bytes that were written, by buffer; `touched` names the buffers that were
    written or read, `writable` those that the code may write, whether or not a block that ran did.
    """

    ties: tuple[str, ...]
    written: Mapping[str, NDArray[np.bool_]]
    touched: frozenset[str]
    writable: frozenset[str] = frozenset()


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
    only (`checked` is shadow mode). `writers` says who wrote the bytes that were watched, `footprint` which bytes were
    written at all; both in shadow mode and where asked for.
    `thread_instructions` counts executed PTX instructions times active lanes; `lines` the same by source line,
    `ptx_blocks` how often warps executed each basic block of the PTX.
    `branches` are those that a warp came to, in PTX order.
    `caveat` says how values of this architecture's hardware lie further from exact ones than those computed here.
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
    lines: tuple[LineActivity, ...] = ()
    ptx_blocks: tuple[BlockActivity, ...] = ()
    branches: tuple[Branch, ...] = ()
    writers: tuple[Writer, ...] = ()
    caveat: str = ""
    footprint: Footprint | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)
    jit_seconds: float = field(default=0.0, compare=False)
