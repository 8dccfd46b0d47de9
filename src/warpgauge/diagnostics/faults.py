"""Diagnostics for what an execution reports by itself: faults, and instructions that cannot be executed."""

from __future__ import annotations

from itertools import chain, repeat
from typing import Any

from warpgauge.evidence import Fault, Unsupported

from .codes import CODES
from .record import Diagnostic, Span

# What to do, where it is the same whatever the kernel.
_HELP = {
    "SAF601": "put a barrier between the two accesses (__syncthreads(), or __syncwarp() within one warp); in a loop "
    "also before the turn that writes again what this one reads",
    "SAF615": "the thread that copies waits (wait_group N lets its last N groups go on), then __syncthreads() tells "
    "the others; commit a group in every step, also where nothing is left to copy, and one N is right to the last step",
    "SAF616": "one thread initialises the mbarrier once per kernel, then __syncthreads(); each phase takes exactly as "
    "many arrivals as its count says, and the next one follows by itself",
}


def fault_diagnostic(fault: Fault, **context: Any) -> Diagnostic:
    """A safety finding, its partners and the calls around it; `context` (the shape, say) joins its evidence."""
    evidence = {
        "block": list(fault.block) if fault.block else None,
        "thread": list(fault.thread) if fault.thread else None,
        "count": fault.count,
    }
    return Diagnostic(
        fault.code,
        "warning" if fault.warning else CODES[fault.code].severity,
        fault.message,
        Span(fault.location),
        (
            *_partners(fault),
            *(Span(location, label="inlined here") for location in fault.inlined),
        ),
        _HELP.get(fault.code, ""),
        evidence | context,
    )


def _partners(fault: Fault) -> list[Span]:
    """The other places, each with the calls around it."""
    spans = []
    chains = chain(fault.related_inlined, repeat(()))
    for (location, label), calls in zip(fault.related, chains, strict=False):
        spans.append(Span(location, label=label))
        spans += [Span(call, label=f"{label}, inlined here") for call in calls]
    return spans


def unsupported_diagnostic(unsupported: Unsupported) -> Diagnostic:
    """An instruction at which execution had to stop."""
    return Diagnostic(
        "SRC802",
        "error",
        f"the virtual GPU does not support {unsupported.instruction}: what depends on its execution stays UNKNOWN",
        Span(unsupported.location),
        evidence={"instruction": unsupported.instruction, "ptx_line": unsupported.ptx_line},
    )
