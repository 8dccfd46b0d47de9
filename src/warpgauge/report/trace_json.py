"""`trace --json`: a trace as the data of `schemas/trace.schema.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from warpgauge.diagnostics.source import shown_path
from warpgauge.evaluate.trace import TraceResult
from warpgauge.evidence import Fault, Site

_COUNTED = ("bytes_per_lane", "requests", "sectors", "ideal_sectors", "wavefronts", "conflicts")


def _site(site: Site) -> dict[str, Any]:
    worst = site.worst
    return {
        "file": shown_path(site.location.file),
        "line": site.location.line,
        "space": site.space,
        "op": site.op,
        **{name: getattr(site, name) for name in _COUNTED},
        "worst": {"block": list(worst.block), "warp": worst.warp, "lanes": list(worst.lanes)} if worst else None,
    }


def _fault(fault: Fault) -> dict[str, Any]:
    return {
        "code": fault.code,
        "file": shown_path(fault.location.file),
        "line": fault.location.line,
        "message": fault.message,
        "block": list(fault.block) if fault.block else None,
        "thread": list(fault.thread) if fault.thread else None,
    }


def trace_json(result: TraceResult, files: Mapping[str, str]) -> dict[str, Any]:
    """The document of one launch; `files` maps argument names to the .npy files that were written."""
    return {
        "kernel": result.kernel,
        "counters": asdict(result.counters),
        "sites": [_site(site) for site in result.sites],
        "faults": [_fault(fault) for fault in result.faults],
        "outputs": dict(files),
    }
