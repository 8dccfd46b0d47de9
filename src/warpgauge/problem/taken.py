"""Other layouts in which a kernel may have taken a tensor's buffer: exchanged or dense strides, a forgotten offset.

An index is a claim about a layout. When an output is wrong, each of these claims can be tried: what would the reference
be if the kernel were right and this tensor lay in memory as that index says?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from .dtypes import Array
from .fill import stored
from .layout import Layout, row_major
from .model import Problem

Strides = tuple[int, ...]


@dataclass(frozen=True)
class Taken:
    """A tensor of a problem, its declared layout, and another one in the same buffer; `words` describe the latter."""

    tensor: str
    words: str
    declared: Layout
    layout: Layout


def _exchanged(values: Strides) -> Strides:
    """The last two exchanged: the two dimensions of a matrix, behind those of a batch."""
    return (*values[:-2], values[-1], values[-2])


def _strides(layout: Layout) -> Iterator[tuple[str, Strides]]:
    shape = layout.shape
    if len(shape) >= 2:
        yield "column-major", _exchanged(row_major(_exchanged(shape)))
    yield "row-major without gaps", row_major(shape)
    if len(shape) >= 2:
        yield "stored with its last two strides exchanged", _exchanged(layout.strides)
    if len(shape) >= 3:
        yield "stored with its dimensions in reverse order", row_major(shape[::-1])[::-1]
    yield "stored as declared", layout.strides


def _effective(layout: Layout) -> tuple[int, Strides]:
    """What tells two layouts of one shape apart: a stride along an extent of 1 is never taken."""
    return layout.offset, tuple(s for s, e in zip(layout.strides, layout.shape, strict=True) if e > 1)


def other_layouts(problem: Problem, tensor: str, dims: Mapping[str, int]) -> tuple[Taken, ...]:
    """The layouts that differ from the declared one and fit its buffer, the likeliest first.

    Those of a tensor that is written also have a place of its own for every element.
    """
    declared = problem.layout(tensor, dims)
    known = {_effective(declared)}
    found = []
    for offset in dict.fromkeys((declared.offset, 0)):
        for words, strides in _strides(declared):
            layout = replace(declared, strides=strides, offset=offset)
            if _effective(layout) in known or not layout.in_range or not layout.elements:
                continue
            known.add(_effective(layout))
            if not (problem.tensors[tensor].is_written and layout.overlaps):
                start = "" if offset == declared.offset else ", from the first element of the buffer"
                found.append(Taken(tensor, words + start, declared, layout))
    return tuple(found)


def with_filled_gaps(buffer: Array, layout: Layout, seed: int = 0) -> Array:
    """A copy in which what belongs to no element holds some element's value, so that reading it leaves a trace.

    NaN there, as in a checked run, would make all guesses look alike that read any of it.
    """
    places = layout.places
    if places is None or not places.any():
        return buffer
    filled = buffer.copy()
    filled[~places] = np.random.default_rng(seed).choice(buffer[places], int((~places).sum()))
    return filled


def as_taken(buffer: Array, taken: Taken) -> Array:
    """A buffer in the declared layout whose elements are those that the other layout finds in `buffer`."""
    return stored(taken.layout.view(buffer), taken.declared)
