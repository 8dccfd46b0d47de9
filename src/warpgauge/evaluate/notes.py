"""Notes that belong to no contract: what was not decided, and what stays untested."""

from __future__ import annotations

from collections.abc import Sequence

from warpgauge.contracts import CONTRACTS, ContractResult, Verdict
from warpgauge.diagnostics import Diagnostic
from warpgauge.problem import Problem

# An extent that is a multiple of this fills vectors of 16 bytes (and most tiles) to the last element.
_RAGGED = 8


def target_words(problem: Problem) -> str:
    """The target as a sentence, empty where the problem sets none."""
    target = problem.target
    if target is None:
        return ""
    bound = f">= {target.at_least:g}" if target.at_least is not None else f"<= {target.at_most:g}"
    against = f" against {target.baseline}" if target.baseline else ""
    return f"{target.metric} {bound}{against} ({target.regime})"


def undecided(rows: Sequence[ContractResult], problem: Problem) -> list[Diagnostic]:
    """One note per reason, naming the contracts that it leaves UNKNOWN.

    A reason that only holds for contracts which advise and which the problem does not name is no news to it; nor does a
    contract that advises and is not built need more than its row.
    """
    groups: dict[str, list[str]] = {}
    asked = set()
    for row in rows:
        built = row.name not in CONTRACTS or CONTRACTS[row.name].judge
        if row.verdict is Verdict.UNKNOWN and (row.binds or built):
            groups.setdefault(row.reason, []).append(row.title)
            if row.binds or row.name in problem.contracts:
                asked.add(row.reason)
    return [
        Diagnostic(
            "PRB909", "note", f"{', '.join(titles)} UNKNOWN: {reason}", evidence={"contracts": titles, "reason": reason}
        )
        for reason, titles in groups.items()
        if reason in asked
    ]


def untested_edges(problem: Problem) -> list[Diagnostic]:
    """A note where some dimension is a round number in every shape that is executed."""
    shapes = (*problem.dims_of("judge"), *problem.dims_of("small"))
    round_dims = [name for name in problem.dims if all(shape[name] % _RAGGED == 0 for shape in shapes)]
    if not round_dims:
        return []
    names = ", ".join(round_dims)
    message = f"{names}: a multiple of {_RAGGED} in every shape that was executed, so edges along it stay untested"
    help = f'add a [[shapes]] table with role = "small" and an odd {" and ".join(round_dims)}'
    return [Diagnostic("PRB908", "note", message, help=help, evidence={"dimensions": round_dims})]
