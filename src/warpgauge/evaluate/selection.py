"""Which contracts an evaluation answers, and what evidence they need."""

from __future__ import annotations

from collections.abc import Collection

from warpgauge.contracts import CONTRACTS
from warpgauge.contracts.table import Evidence
from warpgauge.problem import Problem
from warpgauge.problem.place import fail, near


def selected(problem: Problem, only: Collection[str] | None, skip: Collection[str]) -> tuple[str, ...]:
    """Contract names in the order of the table: those asked for by `only`, else all but `skip`.

    A contract that is not built yet has a row only where the problem or `only` names it: a row that nobody asked for
    would be noise, and leaving out one that somebody did ask for would be a silent pass. PRB901 for an unknown name.
    """
    wanted = {name.replace("-", "_") for name in only or ()}
    unwanted = {name.replace("-", "_") for name in skip}
    for name in sorted((wanted | unwanted) - CONTRACTS.keys()):
        raise fail("PRB901", f'unknown contract "{name}"', "", help=near(name, CONTRACTS))
    named = {name for name, row in CONTRACTS.items() if row.judge or name in problem.contracts}
    return tuple(name for name in CONTRACTS if name in (wanted or named) and name not in unwanted)


def needed(problem: Problem, names: Collection[str]) -> frozenset[Evidence]:
    """The evidence that these contracts rest on; a virtual execution needs a build."""
    rows = [CONTRACTS[name] for name in names]
    kinds = {row.evidence for row in rows if row.judge and problem.contract(row.name).asked}
    return frozenset(kinds | ({"build"} if "virtual" in kinds else set()))
