"""What a launch left behind, before it is put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warpgauge.evidence import Footprint

from .schedule import Resident
from .slots import Worker


@dataclass(frozen=True)
class Outcome:
    """What a launch left behind. `sampled`: how many blocks were to run, None for all. `watched`: buffers by the
    instruction that last wrote watched bytes of theirs. `strays`: writes between elements (`GlobalShadow`)."""

    workers: list[Worker]
    stop: Resident | None
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    seconds: float
    trace: NDArray[np.int64] | None
    printed: str = ""
    sampled: int | None = None
    footprint: Footprint | None = None
    watched: Mapping[int, frozenset[str]] | None = None
    strays: tuple[tuple[int, int, int], ...] = ()
