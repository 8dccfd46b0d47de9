"""Diagnostics for what an execution reports by itself: faults, and instructions that cannot be executed."""

from __future__ import annotations

from typing import Any

from warpgauge.evidence import Fault, Unsupported

from .codes import CODES
from .record import Diagnostic, Span


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
            *(Span(location, label=label) for location, label in fault.related),
            *(Span(location, label="inlined here") for location in fault.inlined),
        ),
        evidence=evidence | context,
    )


def unsupported_diagnostic(unsupported: Unsupported) -> Diagnostic:
    """An instruction at which execution had to stop."""
    return Diagnostic(
        "SRC802",
        "error",
        f"the virtual GPU does not support {unsupported.instruction}: what depends on its execution stays UNKNOWN",
        Span(unsupported.location),
        evidence={"instruction": unsupported.instruction, "ptx_line": unsupported.ptx_line},
    )
