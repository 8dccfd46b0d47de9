"""Which contracts an evaluation answers, and what evidence they need."""

from __future__ import annotations

from collections.abc import Collection

from warpgauge.contracts import CONTRACTS
from warpgauge.contracts.table import Evidence, row_of
from warpgauge.problem import Problem
from warpgauge.problem.place import fail, near


def selected(problem: Problem, only: Collection[str] | None, skip: Collection[str]) -> tuple[str, ...]:
    """Contract names in the order of the table, then the problem's own: those asked for by `only`, else all but `skip`.

    A contract that is not built yet has a row only where the problem or `only` names it: a row that nobody asked for
    would be noise, and leaving out one that somebody did ask for would be a silent pass. PRB901 for an unknown name,
    and where none is left.
    """
    wanted = {name.replace("-", "_") for name in only or ()}
    unwanted = {name.replace("-", "_") for name in skip}
    known = tuple(dict.fromkeys((*CONTRACTS, *problem.contracts)))
    for name in sorted((wanted | unwanted) - set(known)):
        raise fail("PRB901", f'unknown contract "{name}"', "", help=near(name, known))
    named = {name for name in known if name in problem.contracts or CONTRACTS[name].judge}
    chosen = tuple(name for name in known if name in (wanted or named) and name not in unwanted)
    if not chosen:
        raise fail("PRB901", "nothing is left to judge", "", help="ask for other contracts with --only, or skip fewer")
    return chosen


def own_contracts(problem: Problem, names: Collection[str]) -> frozenset[str]:
    """Those of the names that are contracts of the problem's own."""
    return frozenset(names) - CONTRACTS.keys()


def own_texts(problem: Problem, names: Collection[str]) -> dict[str, str]:
    """The files of the problem's own contracts, path -> text, as far as they can be read."""
    texts = {}
    for own in (problem.contract(name).own for name in sorted(own_contracts(problem, names))):
        path = own.folder / own.source.rpartition(":")[0] if own else None
        if path and path.is_file():
            texts[str(path)] = path.read_text(encoding="utf-8", errors="replace")
    return texts


def needed(problem: Problem, names: Collection[str]) -> frozenset[Evidence]:
    """The evidence that these contracts rest on; a virtual execution needs a build."""
    rows = [row_of(name, problem.contract(name)) for name in names]
    kinds = {row.evidence for row in rows if row.judge and problem.contract(row.name).asked}
    return frozenset(kinds | ({"build"} if "virtual" in kinds else set()))
