"""What a row of the interpreter's tables is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .formats import Words


class Unsupported(NotImplementedError):
    """The oracle has no row for an instruction."""


@dataclass(frozen=True)
class ValueOp:
    """An instruction that maps operand words to result words, lane by lane.

    `sources` are the PTX types that the operands after the destination are read as ("pred" gives bool arrays),
    `results` the types of the destination's parts. `function` takes the words in that order.
    """

    sources: tuple[str, ...]
    results: tuple[str, ...]
    function: Callable[..., Words | tuple[Words, ...]]


def halves(function: Callable[..., Words]) -> Callable[..., Words]:
    """The packed form of a 16-bit function: both halves of a 32-bit word on their own."""
    low, shift = np.uint64(0xFFFF), np.uint64(16)

    def both(*raw: Words) -> Words:
        first = function(*(r & low for r in raw))
        second = function(*(r >> shift & low for r in raw))
        return (first & low) | ((second & low) << shift)

    return both
