"""What a launch left behind, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .schedule import Resident
from .slots import Worker


@dataclass(frozen=True)
class Outcome:
    """What a launch left behind. `strays` are writes between a tensor's elements (see `GlobalShadow.strays`)."""

    workers: list[Worker]
    stop: Resident | None
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    seconds: float
    trace: NDArray[np.int64] | None
    printed: str = ""
    strays: tuple[tuple[int, int, int], ...] = ()
