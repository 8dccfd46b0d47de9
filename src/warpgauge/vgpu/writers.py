"""Who wrote which bytes last: the shadow state of a launch, read backwards from bytes to instructions."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from warpgauge import ptx
from warpgauge.evidence import Writer

from .frame import SiteKey
from .layout import HOST_WRITER, SITE, SITE_SLOTS
from .memory import GlobalMemory
from .outcome import Outcome
from .prepare import Prepared
from .slots import GlobalShadow

Watched = Mapping[str, NDArray[np.bool_]]
"""Buffer name -> one flag per byte of it."""

_FLOATS = frozenset({"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"})


def last_writers(memory: GlobalMemory, shadow: GlobalShadow, watch: Watched) -> dict[int, frozenset[str]]:
    """Instruction index -> the buffers among whose watched bytes it was the last plain or the last atomic writer."""
    found: dict[int, set[str]] = {}
    for name, flags in watch.items():
        buffer = memory.buffers.get(name)
        if buffer is None:
            continue
        granules = (buffer.offset >> shadow.shift) + np.unique(np.flatnonzero(flags) >> shadow.shift)
        plain, strong = shadow.writers[granules], shadow.strong[granules]
        stores = shadow.store_sites[granules][(plain != 0) & (plain < HOST_WRITER)]
        atomics = shadow.strong_sites[granules][strong != 0]
        for index in np.unique(np.concatenate([stores, atomics])):
            found.setdefault(int(index), set()).add(name)
    return {index: frozenset(names) for index, names in found.items()}


def executed_writers(prepared: Prepared, outcome: Outcome, files: Container[str]) -> tuple[Writer, ...]:
    """Every instruction that wrote global or shared memory, in source order; nothing where nothing was watched."""
    if outcome.watched is None:
        return ()
    table = outcome.workers[0].sites.reshape(-1, SITE_SLOTS)
    found: dict[tuple[int, str], Writer] = {}
    for key, row in zip(prepared.sites, table, strict=False):
        if key.op == "load" or key.space not in ("global", "shared") or row[SITE["REQUESTS"]] == 0:
            continue
        i = key.instruction
        location, inlined = ptx.locate(prepared.module, i, files)
        buffers = tuple(sorted(outcome.watched.get(i.index, ()))) if key.space == "global" else ()
        name = ".".join((i.opcode, *i.modifiers, *i.types))
        found[i.index, key.space] = Writer(location, name, key.space, _kind(key), buffers, inlined)
    return tuple(sorted(found.values(), key=lambda w: (w.location, w.instruction)))


def _kind(key: SiteKey) -> Literal["store", "sum", "exchange", "commutative"]:
    if key.op == "store":
        return "store"
    modifiers = set(key.instruction.modifiers)
    if "add" in modifiers and key.instruction.types[-1] in _FLOATS:
        return "sum"
    return "exchange" if {"cas", "exch"} & modifiers else "commutative"
