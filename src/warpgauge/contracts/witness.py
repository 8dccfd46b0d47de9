"""The evidence that a diagnostic about a site carries: its numbers, its provenance and its worst request."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from warpgauge.diagnostics import Span
from warpgauge.evidence import Site


def site_evidence(site: Site) -> dict[str, Any]:
    """Plain JSON data: width, counts, provenance, and lanes with byte addresses of the worst request."""
    evidence: dict[str, Any] = {
        "space": site.space,
        "op": site.op,
        "bytes_per_lane": site.bytes_per_lane,
        "provenance": asdict(site.provenance),
    }
    if site.worst:
        worst = site.worst
        evidence["worst"] = {
            "block": list(worst.block),
            "warp": worst.warp,
            "buffer": worst.buffer,
            "sectors": worst.sectors,
            "wavefronts": worst.wavefronts,
            "lanes": list(worst.lanes),
        }
    return evidence


def inlining(site: Site) -> tuple[Span, ...]:
    """The chain of calls around an inlined access, innermost first."""
    return tuple(Span(location, label="inlined here") for location in site.inlined)
