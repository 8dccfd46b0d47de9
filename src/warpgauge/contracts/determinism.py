"""Determinism: the same bits whatever the order of blocks and warps, or the sum that depends on it.

A part of the numerics contract. A result that depends on the order is a warning (NUM506): it may well be within the
tolerance, and whether that is enough is for the problem to say. With `deterministic = true` it fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Coverage, Execution, Fault, Provenance, Writer

from .case import Case, Difference, Reordered, gap

_FIXED_ORDER = (
    "store one partial result per block (or warp) and add them in a fixed order, in a second launch or in the last "
    "block; or add integers. If the difference may be, leave it: only `numerics = { deterministic = true }` fails it"
)
_UNDEFINED = ("SAF605", "SAF606", "SAF608")
_NOTHING_DEFINED = "give each element a value before it is read; read lanes only that take part in the shuffle"
_ORDER_MISSING = "order the accesses: a barrier within the block; between blocks a second launch, or fence and flag"


@dataclass(frozen=True)
class Determinism:
    """Whether every output kept its bits under permuted orders of blocks and warps, and what that rests on.

    `equal` is None where it is not known (`reason` says why). `coverage` counts runs under a permuted order, `orders`
    the orders per shape; `blocks` and `warps` are the most that were permuted: blocks of a launch, warps of a block.
    """

    equal: bool | None
    orders: int
    shapes: tuple[Mapping[str, int], ...]
    blocks: int
    warps: int
    coverage: Coverage
    provenance: Provenance
    reason: str = ""


def determinism_of(case: Case) -> Determinism | None:
    """The fact as the runs show it; None where nothing was executed at all."""
    if not case.trials:
        return None
    gaps = [f"{trial.title}: {reason}" for trial in case.permuted if (reason := gap(trial))]
    differ = any(run.differences for shape in case.reordered for run in shape.runs)
    reason = case.not_reordered or (gaps[0] if gaps else "")
    return Determinism(
        False if differ else None if reason else True,
        max((len(shape.runs) for shape in case.reordered), default=0),
        tuple(shape.dims for shape in case.reordered),
        max((shape.blocks for shape in case.reordered), default=1),
        max((shape.warps for shape in case.reordered), default=1),
        Coverage(len(case.permuted) - len(gaps), len(case.permuted), "permuted runs"),
        Provenance("counted"),
        reason="" if differ else reason,
    )


def findings(case: Case, asked: bool) -> tuple[Diagnostic, ...]:
    """One NUM506 per output that changed: the shape that showed it first speaks."""
    found: dict[str, Diagnostic] = {}
    for shape in case.reordered:
        for run in shape.runs:
            for difference in run.differences:
                if difference.tensor not in found:
                    found[difference.tensor] = _diagnostic(shape, run.trial.order, difference, asked)
    return tuple(found.values())


def _diagnostic(shape: Reordered, order: str, difference: Difference, asked: bool) -> Diagnostic:
    cause = _cause(shape, difference.tensor)
    at = ", ".join(f"{name}={value}" for name, value in shape.dims.items())
    element = f"{difference.tensor}[{', '.join(str(i) for i in difference.index)}]"
    first, second = difference.values
    message = (
        f"{difference.tensor}: {difference.count:,} of {difference.elements:,} elements depend on the order of blocks "
        f"and warps, first {element}: {difference.natural} ({first:.9g}) in order of their numbers, {difference.other} "
        f"({second:.9g}) in {order}, at {at}; {cause.words}"
    )
    evidence: dict[str, Any] = {
        "tensor": difference.tensor,
        "shape": dict(shape.dims),
        "order": order,
        "elements": difference.elements,
        "count": difference.count,
        "index": list(difference.index),
        "natural": difference.natural,
        "other": difference.other,
        "instruction": cause.instruction,
        "cause": cause.kind,
    }
    return Diagnostic(
        "NUM506", "error" if asked else "warning", message, cause.primary, cause.related, cause.help, evidence
    )


@dataclass(frozen=True)
class _Cause:
    """What makes the order matter: `kind` is sum, exchange, race, undefined, or unknown."""

    kind: str
    words: str
    primary: Span | None
    related: tuple[Span, ...]
    instruction: str = ""
    help: str = _FIXED_ORDER


def _cause(shape: Reordered, tensor: str) -> _Cause:
    """The strongest explanation that the launches in natural order give, see `_sites` for their ranks."""
    for kind, words, sites in _sites(shape.witnesses, tensor, shape.carriers):
        first, rest = sites[0], sites[1:]
        related = (
            *(Span(place, label="inlined here") for place in first.inlined),
            *(Span(w.location, label="also depends on the order") for w in rest if w.location != first.location),
        )
        return _Cause(kind, words, Span(first.location), related, first.instruction)
    if races := [f for e in shape.witnesses for f in e.faults if f.code in ("SAF601", "SAF602")]:
        return _race(races, _stores(shape.witnesses, tensor))
    if undefined := [f for e in shape.witnesses for f in e.faults if f.code in _UNDEFINED]:
        words = "a value that is not defined, and that other warps or blocks leave behind, is read here"
        return _Cause("undefined", words, Span(undefined[0].location), (), help=_NOTHING_DEFINED)
    stores = _stores(shape.witnesses, tensor)
    atomics = [w for e in shape.witnesses for w in e.writers if w.kind in ("exchange", "commutative", "sum")]
    words = "no floating-point sum is to be seen: which atomics decide where or what is stored is not known"
    if not atomics:
        words = "no atomic takes part: what makes it so is not known"
    related = tuple(Span(w.location, label=f"{w.instruction}: gives out turns in order of arrival") for w in atomics)
    primary = Span(stores[0].location, label="stored here") if stores else None
    return _Cause("unknown", words, primary, related, help="make each element's place and value follow from indices")


def _sites(
    launches: Sequence[Execution], tensor: str, carriers: Sequence[str]
) -> Iterator[tuple[str, str, list[Writer]]]:
    """(kind, words, sites), the surest first: what wrote the bytes that changed, then what may have fed them."""
    writers = [w for e in launches for w in e.writers]
    changed = set(carriers)
    ranks = (
        ("sum", "this floating-point sum adds in order of arrival", "sum", lambda w: tensor in w.buffers),
        (
            "exchange",
            "this loop of exchanges takes effect in order of arrival",
            "exchange",
            lambda w: tensor in w.buffers,
        ),
        (
            "sum",
            "this floating-point sum, which it is made from, adds in order of arrival",
            "sum",
            lambda w: changed & {*w.buffers},
        ),
        (
            "sum",
            "this floating-point sum in shared memory adds in order of arrival",
            "sum",
            lambda w: w.space == "shared",
        ),
    )
    for kind, words, which, holds in ranks:
        if sites := [w for w in writers if w.kind == which and holds(w)]:
            yield kind, words, sites


def _stores(launches: Sequence[Execution], tensor: str) -> list[Writer]:
    return [w for e in launches for w in e.writers if w.kind == "store" and tensor in w.buffers]


def _race(races: Sequence[Fault], stores: Sequence[Writer]) -> _Cause:
    """A race whose lines store the output that changed comes first."""
    lines = {(w.location.file, w.location.line) for w in stores}
    first = max(races, key=lambda f: any((p.file, p.line) in lines for p in (f.location, *(p for p, _ in f.related))))
    related = tuple(Span(location, label=label) for location, label in first.related)
    return _Cause("race", "accesses race here", Span(first.location), related, help=_ORDER_MISSING)
