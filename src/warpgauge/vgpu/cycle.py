"""Proof that a launch never ends: all of its state comes back."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .slots import BlockSlot

# Looking costs at most a twentieth of the time: most launches that run for long do end.
_PATIENCE = 20.0
_FIRST = 0.5


class Cycle:
    """Watches one set of resident blocks between their slices (Brent's cycle detection).

    Registers, pending lanes, barriers, shared, local and global memory together decide what runs next. If they are as
    they were at an earlier slice, what ran in between runs again, for ever: a loop of barriers that stores the same
    values, say. That holds for these blocks: another one that joins them may write what they wait for. Kernels that
    read a clock have more state than that.
    """

    def __init__(self, arena: NDArray[np.uint8]) -> None:
        self.arena = arena
        self.residents: tuple[object, ...] = ()
        self._restart()

    def _restart(self) -> None:
        self.anchor = b""
        self.steps, self.span = 0, 1
        self.due = time.monotonic() + _FIRST

    def closed(self, resident: Sequence[BlockSlot], done: int) -> bool:
        """Whether the state is that of an earlier call with the same blocks, none of which has ended since."""
        residents = (done, *map(id, resident))
        if residents != self.residents:
            self.residents = residents
            self._restart()
        now = time.monotonic()
        if now < self.due:
            return False
        print_ = self._print(resident)
        self.due = now + _PATIENCE * (time.monotonic() - now)
        if print_ == self.anchor:
            return True
        self.steps += 1
        if self.steps >= self.span:
            self.anchor, self.steps, self.span = print_, 0, 2 * self.span
        return False

    def _print(self, resident: Sequence[BlockSlot]) -> bytes:
        digest = hashlib.blake2b(self.arena.data, digest_size=16)
        for slot in resident:
            for area in slot.machine_state:
                digest.update(area.data)
        return digest.digest()
