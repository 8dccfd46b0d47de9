"""When the virtual GPU gives up on a launch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """When to give up. `no_progress_seconds`: wall time without any block ending, barrier completing or warp moving on;
    `seconds`: wall time in all. `resident_blocks`: how many blocks may wait for each other (one per SM of an H200)."""

    no_progress_seconds: float = 10.0
    seconds: float | None = 600.0
    resident_blocks: int = 132
