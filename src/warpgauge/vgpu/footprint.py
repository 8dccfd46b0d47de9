"""What the blocks of a launch did to global memory, read from its shadow state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpgauge.evidence import Footprint
from warpgauge.ptx import stored_through

from .layout import ARENA_BASE, CROSSED_READERS, CROSSED_READS, CROSSED_WRITES, CTX, HOST_WRITER
from .memory import GlobalMemory
from .prepare import Prepared
from .slots import GlobalShadow, Worker

_CROSSED = (
    (CROSSED_READS, "a block reads what another block wrote"),
    (CROSSED_WRITES, "two blocks write the same bytes"),
    (CROSSED_READERS, "a block writes what another block has read"),
)


def footprint_of(
    prepared: Prepared, memory: GlobalMemory, params: NDArray[np.uint8], shadow: GlobalShadow, worker: Worker
) -> Footprint:
    """Atomics tie blocks wherever the code has any: blocks that did not run may reach those that did."""
    ties = ["it has atomics on global memory"] if prepared.global_atomics else []
    crossed = int(worker.ctx[CTX["CROSSED"]])
    ties += [words for mark, words in _CROSSED if crossed & mark]
    written, touched = {}, set()
    for name, buffer in memory.buffers.items():
        if buffer.internal:
            continue
        part = slice(buffer.offset >> shadow.shift, -(-(buffer.offset + buffer.size) >> shadow.shift))
        plain = shadow.writers[part]
        marks = ((plain != 0) & (plain < HOST_WRITER)) | (shadow.strong[part] != 0)
        if marks.any():
            written[name] = np.repeat(marks, 1 << shadow.shift)[: buffer.size]
        if name in written or shadow.readers[part].any():
            touched.add(name)
    return Footprint(tuple(ties), written, frozenset(touched), _writable(prepared, memory, params))


def _writable(prepared: Prepared, memory: GlobalMemory, params: NDArray[np.uint8]) -> frozenset[str]:
    """Buffers that the launch is given, or that its code names, and that the code may write."""
    through = stored_through(prepared.kernel)
    variables = {v.name for v in prepared.variables if through is None or v.name in through}
    places = {
        int.from_bytes(params[p.offset : p.offset + p.size].tobytes(), "little") - ARENA_BASE
        for p in prepared.kernel.params
        if p.size == 8 and (through is None or p.name in through)
    }
    return frozenset(
        b.name
        for b in memory.buffers.values()
        if b.writable
        and not b.internal
        and (b.name.partition("@")[0] in variables or any(b.offset <= at < b.offset + b.size for at in places))
    )
