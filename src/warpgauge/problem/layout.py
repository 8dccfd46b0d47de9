"""Where a tensor's elements stand in its buffer: shape, strides and offset in elements."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .dtypes import DTYPES, Array

_MOST_CHECKED_ELEMENTS = 1 << 24


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in elements of a dense array whose last dimension runs fastest."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


@dataclass(frozen=True)
class Layout:
    """`shape`, `strides` and `offset` in elements; `size` is the number of elements the buffer holds."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    size: int

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.size * DTYPES[self.dtype].bytes

    @property
    def extent(self) -> tuple[int, int]:
        """First and last element index that the layout reaches; (offset, offset - 1) for an empty tensor."""
        if not self.elements:
            return self.offset, self.offset - 1
        steps = [(extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True)]
        return self.offset + sum(min(s, 0) for s in steps), self.offset + sum(max(s, 0) for s in steps)

    @property
    def in_range(self) -> bool:
        """Whether every element stands inside the buffer."""
        first, last = self.extent
        return not self.elements or (first >= 0 and last < self.size)

    @property
    def contiguous(self) -> bool:
        """Whether the elements stand one after the other in row-major order."""
        steps = zip(self.shape, self.strides, row_major(self.shape), strict=True)
        return all(extent <= 1 or stride == dense for extent, stride, dense in steps)

    @property
    def overlaps(self) -> bool:
        """Whether two elements share a place, as with stride 0; an output must not."""
        if self.elements <= 1:
            return False
        pairs = sorted((abs(s), e) for e, s in zip(self.shape, self.strides, strict=True) if e > 1)
        reach = 0
        for stride, extent in pairs:
            if stride <= reach:
                break
            reach += stride * (extent - 1)
        else:
            return False
        first, last = self.extent
        if pairs[0][0] == 0 or self.elements > last - first + 1:
            return True
        # Interleaved dimensions can still be free of overlaps: count the places, where that is affordable.
        if self.elements > _MOST_CHECKED_ELEMENTS:
            return True
        places = np.full((1,) * len(self.shape), self.offset, np.int64)
        for axis, (extent, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            along = [1] * len(self.shape)
            along[axis] = extent
            places = places + (np.arange(extent, dtype=np.int64) * stride).reshape(along)
        return bool(np.unique(places).size < self.elements)

    @property
    def places(self) -> Array | None:
        """Which of the buffer's elements belong to the tensor, as booleans; None where all of them do."""
        if self.contiguous and self.offset == 0 and self.elements == self.size:
            return None
        taken = np.zeros(self.size, np.bool_)
        self.view(taken)[...] = True
        return None if taken.all() else taken

    def view(self, storage: Array) -> Array:
        """The logical array of `shape` inside a 1-D storage array of `size` elements; no copy.

        Raises ValueError if the buffer is too small for the layout.
        """
        if storage.ndim != 1 or storage.size < self.size or not self.in_range:
            raise ValueError(f"a buffer of {storage.size} elements does not hold {self}")
        if not self.elements:
            return storage[:0].reshape(self.shape)
        step = storage.strides[0]
        return as_strided(storage[self.offset :], self.shape, [stride * step for stride in self.strides])
