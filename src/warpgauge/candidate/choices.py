"""The choices that a candidate's parameters offer to a search."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from warpgauge.problem.expr import holds

from .model import Candidate


def choices(candidate: Candidate, names: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Every combination of parameter values that meets the constraint, the file's order with the last name fastest.

    `names` are the dimensions (and `num_sms` where known) that the constraint may use beside defines. A candidate
    without parameters offers one choice, the empty one.
    """
    table = candidate.parameters
    where = candidate.place("parameters", "constraint")
    for values in itertools.product(*table.values.values()):
        choice = dict(zip(table.values, values, strict=True))
        if table.constraint is None or holds(table.constraint, {**candidate.numbers, **names, **choice}, where=where):
            yield choice
