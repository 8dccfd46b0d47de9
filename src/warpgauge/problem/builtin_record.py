"""What a row of the table of builtin references holds, and what computing one gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .dtypes import Array

Shape = tuple[int, ...]
Scalars = Mapping[str, float]
Fits = Callable[[Sequence[Shape], Shape], str]


@dataclass(frozen=True)
class Derived:
    """A reference value with the ingredients of its bound.

    `magnitude`: sum of the magnitudes of the terms of each element, None where no bound can be derived.
    `roundings`: how many roundings a term can go through before the output is stored; 0 if nothing is computed.
    """

    value: Array
    magnitude: Array | None
    roundings: int


Compute = Callable[[Sequence[Array], Shape, Scalars], Derived]


@dataclass(frozen=True)
class Builtin:
    """One reference. The last `optional` operands may be left out.

    `mismatch(operand shapes, output shape)` says what does not fit, "" if all does. `degree` is the power with which
    the output grows with its inputs and `terms(operand shapes)` how many terms an element sums: together they say how
    large inputs may be before the output overflows. `cancel` names the row of `variants.ARRANGEMENTS` that makes its
    sums cancel ("" if it has none to cancel), `arranged` how many of the operands that rearranges.
    """

    name: str
    operands: tuple[str, ...]
    fits: Fits
    compute: Compute
    optional: int = 0
    scalars: Mapping[str, float] = field(default_factory=dict)
    degree: int = 1
    terms: Callable[[Sequence[Shape]], int] = lambda shapes: 1
    cancel: str = ""
    arranged: int = 1

    def mismatch(self, shapes: Sequence[Shape], output: Shape) -> str:
        fewest = len(self.operands) - self.optional
        if not fewest <= len(shapes) <= len(self.operands):
            return f"{self.name} reads {', '.join(self.operands)}" + (" (the last optional)" if self.optional else "")
        problem = self.fits(shapes, output)
        return f"{self.name}: {problem}" if problem else ""
