"""How far a produced output is from its reference: error norms, the worst element, and everything that is not a number.

One NaN among ten million elements is a count of one, never a small change of an average.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .dtypes import DTYPES, Array, DType, decode, is_poison
from .layout import Layout
from .model import Problem
from .reference import Reference

BLOCK = 1 << 18
"""Elements per step: temporaries stay in the cache, and a large output needs little memory beside itself."""

Index = tuple[int, ...]


@dataclass(frozen=True)
class Finding:
    """How many elements share a defect, and the first in row-major order: where, what was produced and expected."""

    count: int = 0
    index: Index | None = None
    produced: float = math.nan
    expected: float = math.nan

    def __bool__(self) -> bool:
        return self.count > 0


@dataclass(frozen=True)
class Comparison:
    """One tensor against its reference.

    An element is exactly one of: comparable (both finite, or both the same infinity, or both NaN), unwritten (still
    poison), nan, inf. `inf` is an infinity that the reference and its error bound do not reach, or a finite value where
    the reference is infinite or NaN itself. `matching_inf` counts infinities that are right because the reference
    overflows the output's type. `rel_l2`, `rms`, `max_abs` and `max_rel` are over comparable elements; `rel_l2` is
    infinite if there is any other element, and `rel_l2_finite` is not. `worst` is the comparable element with the
    largest absolute error. `over_bound` counts comparable elements beyond the derived bound (None: no bound),
    `worst_ratio` is the largest error / bound among those with a bound above 0; `over_tolerance` counts those beyond
    the problem's abs and rel (None: not asked). `elements` were compared and `left_out` were not. For integers every
    number is exact up to 2^53.
    """

    tensor: str
    dtype: str
    elements: int
    rel_l2: float
    rel_l2_finite: float
    max_abs: float
    max_rel: float
    rms: float
    worst: Finding
    nan: Finding
    inf: Finding
    unwritten: Finding
    matching_inf: int
    over_bound: Finding | None
    worst_ratio: float
    over_tolerance: Finding | None
    left_out: int = 0

    @property
    def total(self) -> int:
        """Elements of the tensor, compared or left out."""
        return self.elements + self.left_out

    @property
    def clean(self) -> bool:
        """Whether every element was written and is finite (or rightly infinite or NaN)."""
        return not (self.nan or self.inf or self.unwritten)


class _Tally:
    """Counts one defect over the blocks."""

    def __init__(self) -> None:
        self.count = 0
        self.first: tuple[int, float, float] | None = None

    def add(self, mask: Array, start: int, produced: Array, expected: Array) -> None:
        found = int(np.count_nonzero(mask))
        if found and self.first is None:
            at = int(np.argmax(mask))
            self.first = (start + at, float(produced[at]), float(expected[at]))
        self.count += found

    def finding(self, shape: Index, places: Array | None) -> Finding:
        """`places`: where in the tensor the compared elements stand, None for all of it."""
        if self.first is None:
            return Finding()
        flat, produced, expected = self.first
        flat = flat if places is None else int(places[flat])
        return Finding(self.count, tuple(int(i) for i in np.unravel_index(flat, shape)), produced, expected)


def _blocks(layout: Layout, produced: Array, expected: Array, bound: Array | None) -> Iterator[tuple[int, list[Array]]]:
    """Flat row-major slices of the produced storage elements, the reference and the bound."""
    view = layout.view(produced)
    flat = view.reshape(-1) if layout.contiguous else view.flat
    reference = expected.reshape(-1)
    limits = None if bound is None else bound.reshape(-1) if bound.flags.c_contiguous else bound.flat
    for start in range(0, layout.elements, BLOCK):
        part = slice(start, start + BLOCK)
        yield start, [flat[part], reference[part], *([] if limits is None else [limits[part]])]


def _difference(raw: Array, expected: Array, produced: Array, row: DType) -> Array:
    """|produced - expected|; integers are subtracted as integers, so that neighbours beyond 2^53 still differ."""
    if row.kind != "int":
        return np.abs(produced - expected)
    high, low = np.maximum(raw, expected), np.minimum(raw, expected)
    # The distance of two integers of any type fits the unsigned type of the same size, modulo its size.
    return (high.astype(row.bits) - low.astype(row.bits)).astype(np.float64)


def _scale(expected: Array) -> float:
    """A power of two near the largest finite reference, so that squares neither overflow nor vanish."""
    largest = 0.0
    flat = expected.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        part = np.abs(flat[start : start + BLOCK].astype(np.float64))
        largest = max(largest, float(np.max(part, initial=0.0, where=np.isfinite(part))))
    return 2.0 ** min(max(math.frexp(largest)[1], -1000), 1000) if largest else 1.0


class _Totals:
    """Everything that is summed or maximised over the blocks."""

    def __init__(self, row: DType, scale: float, absolute: float | None, relative: float | None) -> None:
        self.row, self.scale = row, scale
        self.absolute, self.relative = absolute or 0.0, relative or 0.0
        self.asked = absolute is not None or relative is not None
        self.nan, self.inf, self.unwritten, self.over, self.beyond = (_Tally() for _ in range(5))
        self.matching_inf = 0
        self.errors = self.references = self.max_rel = self.worst_ratio = 0.0
        self.max_abs = -1.0
        self.worst: tuple[int, float, float] | None = None

    def add(self, start: int, raw: Array, expected: Array, bound: Array | None) -> None:
        produced = decode(raw, self.row.name)
        wanted = expected.astype(np.float64, copy=False)
        if self.row.is_float:
            reach = np.abs(wanted) if bound is None else np.abs(wanted) + bound
            if self.row.saturates:
                wanted = expected = np.clip(wanted, -self.row.largest, self.row.largest)
            measurable = self._classify(start, raw, produced, wanted, reach)
        else:
            unwritten = is_poison(raw, self.row.name) & (raw != expected)
            self.unwritten.add(unwritten, start, produced, wanted)
            measurable = ~unwritten
        error = np.where(measurable, _difference(raw, expected, produced, self.row), 0.0)
        self._measure(start, error, produced, wanted, measurable)
        if bound is not None:
            self.over.add(error > bound, start, produced, wanted)
            positive = (bound > 0) & measurable
            self.worst_ratio = max(
                self.worst_ratio, float(np.max(error / np.where(positive, bound, np.inf), initial=0))
            )
        if self.asked:
            allowed = self.absolute + self.relative * np.abs(np.where(measurable, wanted, 0.0))
            self.beyond.add(error > allowed, start, produced, wanted)

    def _classify(self, start: int, raw: Array, produced: Array, wanted: Array, reach: Array) -> Array:
        """Counts what is no finite number, and returns which elements are measured: finite on both sides."""
        measurable = np.isfinite(produced) & np.isfinite(wanted)
        if measurable.all():
            return measurable
        unwritten = is_poison(raw, self.row.name)
        right = (np.isnan(produced) & np.isnan(wanted)) & ~unwritten
        # Where the reference, moved by its bound, overflows the type, infinity is a right answer.
        right_inf = np.isinf(produced) & (reach >= self.row.overflow) & (np.signbit(produced) == np.signbit(wanted))
        nan = np.isnan(produced) & ~right & ~unwritten
        self.unwritten.add(unwritten, start, produced, wanted)
        self.nan.add(nan, start, produced, wanted)
        self.inf.add(~(measurable | right | right_inf | nan | unwritten), start, produced, wanted)
        self.matching_inf += int(np.count_nonzero(right_inf))
        return measurable

    def _measure(self, start: int, error: Array, produced: Array, wanted: Array, measurable: Array) -> None:
        reference = np.where(measurable, np.abs(wanted), 0.0)
        self.errors += float(np.square(error / self.scale).sum())
        self.references += float(np.square(reference / self.scale).sum())
        nonzero = reference > 0
        self.max_rel = max(self.max_rel, float(np.max(error / np.where(nonzero, reference, np.inf), initial=0)))
        if (error[~nonzero] > 0).any():
            self.max_rel = math.inf
        at = int(np.argmax(np.where(measurable, error, -1.0)))
        if measurable[at] and error[at] > self.max_abs:
            self.max_abs = float(error[at])
            self.worst = (start + at, float(produced[at]), float(wanted[at]))


def compare(
    problem: Problem, tensor: str, produced: Array, reference: Reference, *, only: Array | None = None
) -> Comparison:
    """Compares a whole storage buffer of `tensor` with the reference for `reference.dims`.

    `only` is True, in the tensor's shape, for the elements to compare (None: all).

    Raises KeyError if the reference has no such output, ValueError if the buffer is too small.
    """
    layout = problem.layout(tensor, reference.dims)
    row = DTYPES[layout.dtype]
    expected, bound = np.ascontiguousarray(reference.outputs[tensor]), reference.bound[tensor]
    tolerance = problem.tolerance
    places = None if only is None else np.flatnonzero(only)
    compared = layout
    if places is not None:
        # The elements that remain, one after the other.
        produced, expected = layout.view(produced).reshape(-1)[places], expected.reshape(-1)[places]
        bound = None if bound is None else bound.reshape(-1)[places]
        compared = Layout(layout.dtype, (places.size,), (1,), 0, places.size)
    totals = _Totals(row, _scale(expected), tolerance.abs, tolerance.rel)
    with np.errstate(all="ignore"):
        for start, parts in _blocks(compared, produced, expected, bound):
            totals.add(start, parts[0], parts[1], parts[2] if len(parts) > 2 else None)
    return _comparison(tensor, layout, totals, bound is not None, places)


def _comparison(tensor: str, layout: Layout, totals: _Totals, bounded: bool, places: Array | None) -> Comparison:
    shape = layout.shape
    elements = layout.elements if places is None else int(places.size)
    findings = {name: getattr(totals, name).finding(shape, places) for name in ("nan", "inf", "unwritten")}
    bad = sum(finding.count for finding in findings.values())
    measured = max(elements - bad, 1)
    ratio = math.sqrt(totals.errors / totals.references) if totals.references else math.inf if totals.errors else 0.0
    worst = _Tally()
    worst.first, worst.count = totals.worst, int(totals.worst is not None)
    return Comparison(
        tensor=tensor,
        dtype=layout.dtype,
        elements=elements,
        rel_l2=math.inf if bad else ratio,
        rel_l2_finite=ratio,
        max_abs=max(totals.max_abs, 0.0),
        max_rel=totals.max_rel,
        rms=math.sqrt(totals.errors / measured) * totals.scale,
        worst=worst.finding(shape, places),
        matching_inf=totals.matching_inf,
        over_bound=totals.over.finding(shape, places) if bounded else None,
        worst_ratio=totals.worst_ratio,
        over_tolerance=totals.beyond.finding(shape, places) if totals.asked else None,
        left_out=layout.elements - elements,
        **findings,
    )
