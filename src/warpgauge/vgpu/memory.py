"""The virtual GPU's global memory: named buffers at device addresses, with red zones between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .layout import ARENA_BASE

ALIGNMENT = 256
LEAST_RED_ZONE, MOST_RED_ZONE = 1 << 16, 1 << 23
#: Between the user's buffers and warpgauge's own, so that a kernel that runs past its buffers does not land in them.
INTERNAL_GAP = 1 << 16


def red_zone(size: int) -> int:
    """Bytes kept free behind a buffer: as many as it has, within bounds, so that a missed row guard does not land in
    the next buffer."""
    return min(max(size, LEAST_RED_ZONE), MOST_RED_ZONE)


@dataclass(frozen=True)
class Buffer:
    """`offset` and `size` in bytes; device address = ARENA_BASE + offset. `internal` buffers are warpgauge's own."""

    name: str
    offset: int
    size: int
    dtype: np.dtype[np.generic]
    internal: bool = False
    writable: bool = True

    @property
    def address(self) -> int:
        return ARENA_BASE + self.offset


class GlobalMemory:
    """Buffers start 256-byte aligned, with a red zone behind each. Every byte knows whether it was ever written."""

    def __init__(self) -> None:
        self.buffers: dict[str, Buffer] = {}
        self._arena = np.zeros(ALIGNMENT, np.uint8)
        self._initialised = np.zeros(ALIGNMENT, np.uint8)
        self._pending: list[tuple[Buffer, NDArray[np.uint8], bool | NDArray[np.bool_]]] = []
        self._gaps: list[tuple[Buffer, NDArray[np.bool_]]] = []
        self._top = ALIGNMENT

    def add(
        self,
        name: str,
        array: NDArray[np.generic],
        *,
        initialised: bool = True,
        internal: bool = False,
        writable: bool = True,
        elements: NDArray[np.bool_] | None = None,
    ) -> int:
        """Copy a 1-D array in; returns its device address.

        With `initialised=False` a read before a write is a fault, with `writable=False` any write is. `elements` says
        which of the array's are a tensor's (None: all): the gaps between them count as never written, and a write into
        one is out of bounds."""
        if name in self.buffers:
            raise ValueError(f"buffer {name!r} exists already")
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        start = self._top + (INTERNAL_GAP if internal else 0)
        buffer = Buffer(name, start, raw.size, array.dtype, internal, writable)
        self._top = -(-(buffer.offset + raw.size + red_zone(raw.size)) // ALIGNMENT) * ALIGNMENT
        self.buffers[name] = buffer
        defined: bool | NDArray[np.bool_] = initialised
        if elements is not None:
            inside = np.repeat(elements, array.dtype.itemsize)
            self._gaps.append((buffer, ~inside))
            defined = inside if initialised else False
        self._pending.append((buffer, raw.copy(), defined))
        return buffer.address

    def read(self, name: str) -> NDArray[np.generic]:
        """A copy of a buffer's present contents, dtype and length as added."""
        self.settle()
        b = self.buffers[name]
        return self._arena[b.offset : b.offset + b.size].copy().view(b.dtype)

    def contents(self) -> dict[str, NDArray[np.generic]]:
        """Copies of everything that a kernel may write: buffers that are no inputs, variables of its module."""
        return {name: self.read(name) for name, b in self.buffers.items() if b.writable and not b.internal}

    def write(self, name: str, array: NDArray[np.generic]) -> None:
        """Overwrite a buffer from the host; its bytes count as written."""
        self.settle()
        b = self.buffers[name]
        self._arena[b.offset : b.offset + b.size] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self._initialised[b.offset : b.offset + b.size] = 1

    def settle(self) -> None:
        """Lay pending buffers out in the arena."""
        if not self._pending:
            return
        old, mask = self._arena, self._initialised
        self._arena = np.zeros(self._top + 64, np.uint8)
        self._initialised = np.zeros(self._top + 64, np.uint8)
        self._arena[: old.size], self._initialised[: mask.size] = old, mask
        for buffer, raw, initialised in self._pending:
            self._arena[buffer.offset : buffer.offset + buffer.size] = raw
            self._initialised[buffer.offset : buffer.offset + buffer.size] = initialised
        self._pending.clear()

    @property
    def arena(self) -> NDArray[np.uint8]:
        self.settle()
        return self._arena

    @property
    def initialised(self) -> NDArray[np.uint8]:
        """One byte per arena byte: 1 where it holds a defined value."""
        self.settle()
        return self._initialised

    def gaps(self) -> NDArray[np.bool_] | None:
        """Per arena byte, whether it lies inside a buffer but in no element of its tensor; None where there is none."""
        if not self._gaps:
            return None
        found = np.zeros(self.arena.size, np.bool_)
        for buffer, outside in self._gaps:
            found[buffer.offset : buffer.offset + buffer.size] = outside
        return found

    def in_gap(self, address: int) -> bool:
        """Whether a device address lies in a buffer, but in no element of its tensor."""
        return any(
            outside[address - buffer.address]
            for buffer, outside in self._gaps
            if 0 <= address - buffer.address < buffer.size
        )

    def ranges(self) -> NDArray[np.int64]:
        """(first address, end, what a write means) of all buffers, flat: 1 fine, 0 an input, 2 out of bounds, 3 an
        input that has no undefined byte, so that no read of it can be a fault."""
        rows = []
        for b in self.buffers.values():
            defined = not b.writable and bool(self.initialised[b.offset : b.offset + b.size].all())
            kind = 1 if b.writable else 2 if b.internal else 3 if defined else 0
            rows.append((b.address, b.address + b.size, kind))
        return np.array(rows, np.int64).reshape(-1)

    def locate(self, address: int) -> tuple[Buffer, int] | None:
        """The user's buffer nearest to a device address and the byte offset from its start (may lie outside it)."""
        owners = [b for b in self.buffers.values() if not b.internal] or list(self.buffers.values())
        if not owners:
            return None

        def distance(b: Buffer) -> int:
            return max(b.address - address, address - (b.address + b.size - 1), 0)

        best = min(owners, key=distance)
        return best, address - best.address
